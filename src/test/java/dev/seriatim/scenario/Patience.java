package dev.seriatim.scenario;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, loudly. */
final class Patience {

  /** Far beyond anything a test waits for, so that a slow machine fails no test. */
  static final long NANOS = Duration.ofSeconds(60).toNanos();

  private static final long BETWEEN_LOOKS = Duration.ofMillis(20).toNanos();

  private Patience() {}

  /**
   * Looks again and again.
   *
   * @throws AssertionError naming what did not happen
   */
  static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Did not happen within a minute: " + what);
      }
      LockSupport.parkNanos(BETWEEN_LOOKS);
    }
  }
}
