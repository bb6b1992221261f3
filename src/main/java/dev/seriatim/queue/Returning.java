package dev.seriatim.queue;

import dev.seriatim.subscription.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that is to come back into the queue.
 *
 * @param eventPk number of its event
 * @param resource of its event
 * @param original what it was when it left the queue; null for an event that was never for this
 *     subscription, which can only come as {@link Replay#NEW}
 * @param deadLetter number of the dead letter that it is to be instead of; null to have it sent
 *     again whatever became of it
 */
public record Returning(
    long eventPk,
    @Nullable String resource,
    Subscription subscription,
    @Nullable Original original,
    @Nullable Long deadLetter) {

  /**
   * @param delivery its number
   * @param lane null, as is {@code sequence}, without order
   * @param copy whether it had come as {@link Replay#NEW} itself, with a {@code webhook-id} of its
   *     own
   */
  public record Original(
      long delivery, @Nullable Long lane, @Nullable Long sequence, boolean copy) {}

  /**
   * @throws IllegalArgumentException if it was never for the subscription
   */
  Original required() {
    if (original == null) {
      throw new IllegalArgumentException("was never for the subscription: event " + eventPk);
    }
    return original;
  }
}
