package dev.seriatim.partition;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** The meters of ownership, all under {@code seriatim.lease} and {@code seriatim.partitions}. */
final class LeaseMeters {

  /** How a lease of this pod began or ended. */
  enum Cause {
    /** It took a free partition. */
    CLAIMED,
    /** It took a partition whose lease had run out. */
    EXPIRED,
    /** It gave the partition back, drained. */
    RELEASED,
    /** A renewal found that the partition is not this pod's any more. */
    LOST,
    /** A stop could not wait any longer for what was under way. */
    ABANDONED
  }

  private final MeterRegistry registry;
  private final Map<Cause, Counter> transitions = new EnumMap<>(Cause.class);
  private final Counter byLock;
  private final Counter byExpiry;
  private final Counter suspensions;
  private final Timer handOver;

  LeaseMeters(MeterRegistry registry) {
    this.registry = registry;
    for (Cause cause : Cause.values()) {
      transitions.put(
          cause,
          Counter.builder("seriatim.lease.transitions")
              .description("Leases of this pod that began or ended, by cause")
              .tag("cause", cause.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    byLock = takeovers("lock");
    byExpiry = takeovers("expiry");
    suspensions =
        Counter.builder("seriatim.lease.suspensions")
            .description("How often requests were broken off because the lease connection was lost")
            .register(registry);
    handOver =
        Timer.builder("seriatim.lease.handover")
            .description("Time a partition had no owner before this pod took it")
            .publishPercentileHistogram()
            .register(registry);
  }

  private Counter takeovers(String evidence) {
    return Counter.builder("seriatim.lease.takeovers")
        .description("Partitions that their former owner did not give back, by what showed it")
        .tag("evidence", evidence)
        .register(registry);
  }

  /** Reads its values from the keeper whenever somebody looks; no statement is run for it. */
  void watch(LeaseKeeper keeper) {
    gauge(
        keeper,
        "seriatim.partitions.owned",
        "Partitions that this pod owns",
        LeaseKeeper::ownedCount);
    gauge(
        keeper,
        "seriatim.partitions.unowned",
        "Partitions of the cluster that no pod owns, as this pod last saw it",
        LeaseKeeper::unownedCount);
    TimeGauge.builder("seriatim.lease.trust", keeper, TimeUnit.NANOSECONDS, LeaseKeeper::trustLeft)
        .description(
            "Time that this pod may still trust the lease that ends first; the ttl less the margin after each renewal")
        .register(registry);
  }

  private void gauge(
      LeaseKeeper keeper, String name, String description, ToDoubleFunction<LeaseKeeper> value) {
    Gauge.builder(name, keeper, value).description(description).register(registry);
  }

  void count(Cause cause) {
    transition(cause).increment();
  }

  void claimed(LeaseStore.Claimed claimed) {
    count(claimed.expired() ? Cause.EXPIRED : Cause.CLAIMED);
    if (claimed.expired()) {
      byExpiry.increment();
    }
    Duration unownedFor = claimed.unownedFor();
    if (unownedFor != null) {
      handOver.record(unownedFor);
    }
  }

  void buried(int partitions) {
    byLock.increment(partitions);
  }

  void suspended() {
    suspensions.increment();
  }

  private Counter transition(Cause cause) {
    Counter counter = transitions.get(cause);
    if (counter == null) {
      throw new IllegalArgumentException(cause.name());
    }
    return counter;
  }
}
