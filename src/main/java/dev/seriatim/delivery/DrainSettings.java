package dev.seriatim.delivery;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How partitions are drained. All bounds are per pod or per partition of this pod.
 *
 * @param lanesPerPartition Lanes of one partition that may send at once; 1 sends one request at a
 *     time.
 * @param bufferPerLane Deliveries of one lane kept in memory; more are read again when their turn
 *     comes.
 * @param bufferPerPartition Deliveries of one partition kept in memory behind the heads of their
 *     lanes.
 * @param lanesPerEndpoint Lanes of one endpoint kept in memory while they are ready to send; more
 *     are read again when their turn comes.
 * @param maxInFlight Requests of this pod under way at once.
 * @param pageSize Rows per read of a partition.
 * @param pollEvery How often a pod looks for deliveries that no wake-up told it of, and for changed
 *     subscriptions.
 */
@Validated
@ConfigurationProperties("seriatim.drain")
public record DrainSettings(
    @Min(1) @Max(10_000) @DefaultValue("256") int lanesPerPartition,
    @Min(1) @Max(10_000) @DefaultValue("32") int bufferPerLane,
    @Min(1) @Max(1_000_000) @DefaultValue("4000") int bufferPerPartition,
    @Min(1) @Max(1_000_000) @DefaultValue("2000") int lanesPerEndpoint,
    @Min(1) @Max(100_000) @DefaultValue("512") int maxInFlight,
    @Min(10) @Max(10_000) @DefaultValue("1000") int pageSize,
    @NotNull @DefaultValue("1s") Duration pollEvery) {

  public DrainSettings {
    if (bufferPerPartition < bufferPerLane) {
      throw new IllegalArgumentException(
          "seriatim.drain.buffer-per-partition (%d) must be at least seriatim.drain.buffer-per-lane (%d)"
              .formatted(bufferPerPartition, bufferPerLane));
    }
    if (lanesPerPartition > maxInFlight) {
      throw new IllegalArgumentException(
          "seriatim.drain.lanes-per-partition (%d) must be at most seriatim.drain.max-in-flight (%d)"
              .formatted(lanesPerPartition, maxInFlight));
    }
    if (pollEvery.isZero() || pollEvery.isNegative()) {
      throw new IllegalArgumentException("seriatim.drain.poll-every must be positive");
    }
  }

  KeyLanes.Limits lanes() {
    return new KeyLanes.Limits(
        lanesPerPartition, bufferPerLane, bufferPerPartition, lanesPerEndpoint);
  }

  /**
   * How many lanes of an endpoint may send at once: never all that the partition allows, so that
   * one endpoint that hangs leaves room for the others.
   *
   * @param maxInFlight what its subscription allows
   */
  int cap(int maxInFlight) {
    return Math.min(maxInFlight, lanesPerPartition - lanesPerPartition / 4);
  }
}
