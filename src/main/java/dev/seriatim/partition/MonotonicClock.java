package dev.seriatim.partition;

/**
 * Time that only goes forward, for waits, deadlines and leases. Unrelated to the date: a corrected
 * or wrong wall clock cannot touch it. Thread-safe; never blocks.
 */
@FunctionalInterface
public interface MonotonicClock {

  /** Nanoseconds since an arbitrary origin; only differences mean anything. */
  long nanos();
}
