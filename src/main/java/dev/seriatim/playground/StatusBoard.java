package dev.seriatim.playground;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the consumers have written: the status of each order. Not thread-safe. */
final class StatusBoard {

  private final boolean versioned;
  private final Map<Integer, OrderEvent> current = new HashMap<>();
  private final Map<Integer, Integer> newest = new HashMap<>();

  /**
   * @param versioned whether a write of an older version is dropped
   */
  StatusBoard(boolean versioned) {
    this.versioned = versioned;
  }

  Attempt.Outcome write(OrderEvent event) {
    boolean late = newest.merge(event.order(), event.version(), Math::max) > event.version();
    if (late && versioned) {
      return Attempt.Outcome.DROPPED;
    }
    current.put(event.order(), event);
    return late ? Attempt.Outcome.LATE : Attempt.Outcome.APPLIED;
  }

  /** The last that was written of an order; null for nothing. */
  @Nullable OrderEvent of(int order) {
    return current.get(order);
  }
}
