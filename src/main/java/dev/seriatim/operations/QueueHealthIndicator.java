package dev.seriatim.operations;

import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.stereotype.Component;

/**
 * The health component {@code queue}: whether anything stands still, in the last sample of the
 * queue. Whole cluster, whichever pod is asked; asks the database nothing.
 *
 * <p>Its own words are statuses that the health of the pod does not know and leaves out: a receiver
 * that fails must never take a pod out of service. The group {@code partitions}, which is this
 * component alone, knows them and answers 503.
 */
@Component
class QueueHealthIndicator implements HealthIndicator {

  /** Nobody has had a partition for too long. */
  static final Status UNOWNED = new Status("UNOWNED");

  /** A head has been failing for too long. */
  static final Status STALLED = new Status("STALLED");

  /** Somebody or a policy paused a partition. */
  static final Status PAUSED = new Status("PAUSED");

  /** Nothing is known any more. */
  static final Status UNSEEN = new Status("UNSEEN");

  /** A sample may be so old: two rests of the sampler at its slowest. */
  private static final Duration OLDEST = Duration.ofMinutes(2);

  private final LagSampler sampler;
  private final HealthSettings settings;

  QueueHealthIndicator(LagSampler sampler, HealthSettings settings) {
    this.sampler = sampler;
    this.settings = settings;
  }

  @Override
  public Health health() {
    OptionalDouble age = sampler.age();
    if (age.isEmpty()) {
      return Health.unknown().withDetail("reason", "the queue has not been sampled yet").build();
    }
    if (age.getAsDouble() > OLDEST.toSeconds()) {
      return Health.status(UNSEEN).withDetail("sampleAgeSeconds", age.getAsDouble()).build();
    }
    return of(sampler.sample(), settings);
  }

  /** What a sample says. Pure. */
  static Health of(PartitionLag lag, HealthSettings settings) {
    List<Integer> unowned = which(lag, settings::isAbandoned);
    List<Integer> stalled = which(lag, settings::isStalled);
    List<Integer> paused = which(lag, partition -> partition.pausedReason() != null);
    return Health.status(status(unowned, stalled, paused))
        .withDetail("unowned", unowned)
        .withDetail("stalled", stalled)
        .withDetail("paused", paused)
        .withDetail("sampledAt", lag.sampledAt())
        .build();
  }

  /** The worst first. */
  private static Status status(List<Integer> unowned, List<Integer> stalled, List<Integer> paused) {
    if (!unowned.isEmpty()) {
      return UNOWNED;
    }
    if (!stalled.isEmpty()) {
      return STALLED;
    }
    return paused.isEmpty() ? Status.UP : PAUSED;
  }

  private static List<Integer> which(PartitionLag lag, Predicate<PartitionLag.Partition> is) {
    return lag.partitions().stream().filter(is).map(PartitionLag.Partition::partition).toList();
  }
}
