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
 * @param queuedAt when it was published or came back into the queue, on the same clock
 * @param headSince when the first attempt was, on the same clock; null before it
 * @param failedAt when the last attempt failed, on the same clock; null before it, and when the
 *     wait since then is not the policy's own, which a change of the policy then leaves as it is
 * @param replay how it came back into the queue, null if it never left it
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
    long queuedAt,
    @Nullable Long headSince,
    @Nullable Long failedAt,
    @Nullable Replay replay,
    @Nullable DeliveryContent content) {

  /** One that is due as soon as it is queued. */
  public Delivery(
      long tx,
      long id,
      long laneId,
      long sequence,
      long eventPk,
      long subscriptionPk,
      int attempts,
      long dueAt,
      @Nullable Long headSince,
      @Nullable Long failedAt,
      @Nullable Replay replay,
      @Nullable DeliveryContent content) {
    this(
        tx,
        id,
        laneId,
        sequence,
        eventPk,
        subscriptionPk,
        attempts,
        dueAt,
        dueAt,
        headSince,
        failedAt,
        replay,
        content);
  }

  /** Whether it is in a lane at all. */
  public boolean ordered() {
    return laneId != 0;
  }

  /** The same without its content, to be read again when it is sent. */
  public Delivery withoutContent() {
    return content == null ? this : copy(attempts, dueAt, headSince, failedAt, null);
  }

  /**
   * The same after one more attempt that came to a verdict and is to be followed by another.
   *
   * @param lastFailedAt see {@link #failedAt}
   */
  public Delivery retried(long nextDueAt, long firstAttemptAt, @Nullable Long lastFailedAt) {
    return copy(attempts + 1, nextDueAt, firstAttemptAt, lastFailedAt, null);
  }

  /** The same, due later, without an attempt having been made. */
  public Delivery postponed(long nextDueAt) {
    return copy(attempts, nextDueAt, headSince, null, null);
  }

  /** The same, due at another time because its policy is another. */
  public Delivery rescheduled(long nextDueAt) {
    return nextDueAt == dueAt ? this : copy(attempts, nextDueAt, headSince, failedAt, content);
  }

  private Delivery copy(
      int newAttempts,
      long newDueAt,
      @Nullable Long newHeadSince,
      @Nullable Long newFailedAt,
      @Nullable DeliveryContent newContent) {
    return new Delivery(
        tx,
        id,
        laneId,
        sequence,
        eventPk,
        subscriptionPk,
        newAttempts,
        newDueAt,
        queuedAt,
        newHeadSince,
        newFailedAt,
        replay,
        newContent);
  }
}
