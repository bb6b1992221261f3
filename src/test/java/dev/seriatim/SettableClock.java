package dev.seriatim;

import dev.seriatim.partition.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Time that stands still until a test moves it. Thread-safe. */
public final class SettableClock implements MonotonicClock {

  /** Close to the overflow of nanoseconds, as {@code System.nanoTime()} may be. */
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(1).toNanos());

  @Override
  public long nanos() {
    return now.get();
  }

  public void advance(Duration by) {
    now.addAndGet(by.toNanos());
  }
}
