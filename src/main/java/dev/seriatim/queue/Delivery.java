package dev.seriatim.queue;

import org.jspecify.annotations.Nullable;

/**
 * One event for one subscription, waiting in the queue; without its payload, so that many fit in
 * memory.
 *
 * @param tx the transaction that published it, {@code xid8}; with {@code id} its place in the
 *     partition
 * @param laneId the lane, or 0 for the ordering scope {@code NONE}
 * @param sequence its place in the lane, from 1; 0 for {@code NONE}
 * @param attempts attempts that came to a verdict so far
 * @param dueAt when the next attempt is due, in the nanoseconds of this process's monotonic clock
 * @param headSince when the first attempt was, on the same clock; null before it
 * @param content what to send, where the read brought it along
 */
public record Delivery(
    long tx,
    long id,
    long laneId,
    long sequence,
    long eventPk,
    long subscriptionPk,
    int attempts,
    long dueAt,
    @Nullable Long headSince,
    @Nullable DeliveryContent content) {

  /** Whether it is in a lane at all. */
  public boolean ordered() {
    return laneId != 0;
  }

  /** The same without its content, to be read again when it is sent. */
  public Delivery withoutContent() {
    return content == null
        ? this
        : new Delivery(
            tx, id, laneId, sequence, eventPk, subscriptionPk, attempts, dueAt, headSince, null);
  }

  /** The same after one more attempt that came to a verdict and is to be followed by another. */
  public Delivery retried(long nextDueAt, long firstAttemptAt) {
    return new Delivery(
        tx,
        id,
        laneId,
        sequence,
        eventPk,
        subscriptionPk,
        attempts + 1,
        nextDueAt,
        firstAttemptAt,
        null);
  }
}
