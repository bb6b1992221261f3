package dev.seriatim.playground;

/**
 * One consumer at work on one event.
 *
 * @param attempt 1, 2, …
 * @param consumer from 0
 * @param startMs in virtual milliseconds, like {@code endMs}
 */
record Attempt(
    OrderEvent event, int attempt, int consumer, long startMs, long endMs, Outcome outcome) {

  /** What it came to. */
  enum Outcome {
    /** Written, and the order has gone forward. */
    APPLIED,
    /** Written although a later event was there before: the order has gone backward. */
    LATE,
    /** Dropped, because a later event was there before. */
    DROPPED,
    /** Came to nothing, to be tried again. */
    FAILED
  }
}
