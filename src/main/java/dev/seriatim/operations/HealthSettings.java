package dev.seriatim.operations;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * When the health group {@code partitions} is red.
 *
 * @param stalledAfter How long a head may have been failing. However deep a partition is: one that
 *     drains is not stalled.
 * @param unownedAfter How long a partition may have no owner. Longer than a hand-over or a restart
 *     takes.
 */
@Validated
@ConfigurationProperties("seriatim.health")
record HealthSettings(
    @NotNull @DefaultValue("PT1M") Duration stalledAfter,
    @NotNull @DefaultValue("PT1M") Duration unownedAfter) {

  HealthSettings {
    if (!stalledAfter.isPositive() || !unownedAfter.isPositive()) {
      throw new IllegalArgumentException(
          "seriatim.health.stalled-after (%s) and seriatim.health.unowned-after (%s) must be positive"
              .formatted(stalledAfter, unownedAfter));
    }
  }

  /** Whether a head of it has been failing for too long, however few wait there. */
  boolean isStalled(PartitionLag.Partition partition) {
    return beyond(partition.headAgeSeconds(), stalledAfter);
  }

  /** Whether nobody has had it for too long. */
  boolean isAbandoned(PartitionLag.Partition partition) {
    return beyond(partition.unownedSeconds(), unownedAfter);
  }

  private static boolean beyond(@Nullable Double seconds, Duration limit) {
    return seconds != null && seconds >= limit.toMillis() / 1e3;
  }
}
