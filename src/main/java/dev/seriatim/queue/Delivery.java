package dev.seriatim.queue;

import java.time.Duration;
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
 * @param dueIn how long from the moment of reading until the next attempt is due; zero when it is
 *     due
 * @param headAge how long ago the first attempt was, as of the moment of reading; null before it
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
    Duration dueIn,
    @Nullable Duration headAge,
    @Nullable DeliveryContent content) {

  /** Whether it is in a lane at all. */
  public boolean ordered() {
    return laneId != 0;
  }
}
