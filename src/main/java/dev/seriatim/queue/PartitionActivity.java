package dev.seriatim.queue;

import dev.seriatim.partition.PartitionLease;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a partition is doing; it alone knows.
 *
 * @param inFlight deliveries whose attempts are under way, from the start to the recorded verdict
 * @param deliveredPerSecond acknowledged with 2xx and recorded, since the last report
 * @param lastError the last attempt that failed under this lease, null when none did
 */
public record PartitionActivity(
    PartitionLease lease, int inFlight, double deliveredPerSecond, @Nullable Failure lastError) {

  /**
   * An attempt that failed.
   *
   * @param status of the answer, null without one
   * @param ago how long ago, at the time of the report
   */
  public record Failure(
      VerdictCode verdict, @Nullable Integer status, long subscriptionPk, Duration ago) {}
}
