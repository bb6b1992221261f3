package dev.seriatim.playground;

/**
 * What can be set of a run. Runs with equal switches are equal.
 *
 * @param seed of all chance: keys, times of publication, processing times; 0 to {@link #MAX_SEED}
 * @param consumers 1 to {@link #MAX_CONSUMERS}
 * @param failing whether an event fails at first, and what becomes of it then
 * @param shuffled whether processing times differ widely, as they do, or are all the same
 * @param hot whether one order has five times as many events as the others
 */
record Switches(int seed, int consumers, Failing failing, boolean shuffled, boolean hot) {

  static final int MAX_SEED = 999_999_999;
  static final int MAX_CONSUMERS = 8;

  /** What becomes of the event that fails. Lanes have no choice: the head of a lane stays there. */
  enum Failing {
    /** No event fails. */
    NONE,
    /** Whoever consumes it waits with it and tries again. */
    IN_PLACE,
    /** It goes to the back of its queue once its wait is over; its consumer goes on. */
    TO_BACK
  }
}
