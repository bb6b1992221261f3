package dev.seriatim.scenario;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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
    until(what, Duration.ofNanos(NANOS), condition);
  }

  /**
   * The same where only the end shows what did not happen.
   *
   * @throws AssertionError with what the supplier says then
   */
  static void until(Supplier<String> what, BooleanSupplier condition) {
    try {
      until("", condition);
    } catch (AssertionError late) {
      throw new AssertionError(what.get(), late);
    }
  }

  /**
   * The same with a bound that is part of what is tested.
   *
   * @return how long it took
   */
  static Duration until(String what, Duration atMost, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > atMost.toNanos()) {
        throw new AssertionError("Did not happen within %s: %s".formatted(atMost, what));
      }
      LockSupport.parkNanos(BETWEEN_LOOKS);
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
