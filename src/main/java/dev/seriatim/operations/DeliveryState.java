package dev.seriatim.operations;

import dev.seriatim.subscription.Subscription;

/** Where a delivery stands, as seen from outside. */
enum DeliveryState {
  /** In line: it is its turn, or others of its lane are before it. Sending is part of this. */
  QUEUED,
  /** At least one attempt failed; the next one is due later. The owner moves it on. */
  WAITING,
  /**
   * Its subscription is disabled, its lane held or its partition paused. Enabling or deleting the
   * first, or resuming the other two, moves it on.
   */
  HELD,
  /** The receiver answered 2xx. Final. */
  DELIVERED,
  /** Taken out of line, in the dead letters. */
  DEAD,
  /** An operator discarded its dead letter. Final, unless the event is delivered again. */
  DISCARDED,
  /** Its subscription was deleted before it was delivered. Final. */
  CANCELLED;

  /**
   * Follows from what is left of a delivery. A row of the queue tells where it stands now, whatever
   * happened before. Without one it was settled, and only deliveries, dead letters and deletions
   * settle; so a delivery whose history is no longer kept was delivered, unless its subscription is
   * deleted.
   *
   * @param queued whether it has a row in the queue
   * @param held whether its lane is held or its partition paused; means nothing, as does {@code
   *     due}, unless {@code queued}
   * @param due whether its next attempt is due
   * @param dead whether it is in the dead letters
   * @param delivered whether its last known attempt was answered 2xx
   */
  static DeliveryState of(
      boolean queued,
      boolean held,
      boolean due,
      boolean dead,
      boolean delivered,
      Subscription.State subscription) {
    if (queued) {
      return switch (subscription) {
        case ENABLED -> held ? HELD : due ? QUEUED : WAITING;
        case DISABLED -> HELD;
        case DELETED -> CANCELLED;
      };
    }
    if (dead) {
      return DEAD;
    }
    return delivered || subscription != Subscription.State.DELETED ? DELIVERED : CANCELLED;
  }

  /**
   * The same for a delivery whose dead letter was discarded: a repeat of it that is queued counts.
   */
  DeliveryState discarded() {
    return this == DEAD ? DISCARDED : this;
  }
}
