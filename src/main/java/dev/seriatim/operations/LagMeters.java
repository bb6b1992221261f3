package dev.seriatim.operations;

import dev.seriatim.partition.WorkerName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The meters of the queue: the last sample, as far as it is {@linkplain Reporters this pod's to
 * report}. Nobody who reads them asks the database.
 *
 * <p>Concurrency: {@link #sampled} and {@link #counted} by one thread at a time.
 */
@Component
class LagMeters {

  private static final String SECONDS = "seconds";

  /** A gauge per partition. */
  private record PerPartition(
      MultiGauge gauge,
      ToDoubleFunction<PartitionLag.Partition> value,
      List<MultiGauge.Row<?>> rows) {}

  /** A gauge of the cluster, registered by the pod that reports it. */
  private record OfCluster(MultiGauge gauge, ToDoubleFunction<PartitionLag> value) {}

  private final MeterRegistry registry;
  private final String self;
  private final List<PerPartition> partitions = new ArrayList<>();
  private final List<OfCluster> cluster = new ArrayList<>();
  private final MultiGauge lanes;
  private final Timer samples;
  private final Timer counts;

  LagMeters(MeterRegistry registry, WorkerName self) {
    this.registry = registry;
    this.self = self.value();
    perPartition("depth", null, "Deliveries in the queue", PartitionLag.Partition::depth);
    perPartition(
        "oldest.age",
        SECONDS,
        "Age of the oldest delivery since it was published; 0 without one",
        partition -> orZero(partition.oldestAgeSeconds()));
    perPartition(
        "head.age",
        SECONDS,
        "How long the head that has been failing longest has been failing; 0 when none fails",
        partition -> orZero(partition.headAgeSeconds()));
    perPartition(
        "paused",
        null,
        "1 while nothing is sent of it because it is paused",
        partition -> partition.pausedReason() == null ? 0 : 1);
    perPartition(
        "unowned.age",
        SECONDS,
        "For how long no pod has had it; 0 while one has",
        partition -> orZero(partition.unownedSeconds()));
    ofCluster("seriatim.workers", null, "Pods of the cluster", lag -> lag.workers().size());
    ofCluster(
        "seriatim.dead.letters",
        null,
        "Dead letters neither replayed nor discarded, counted up to " + ClusterQuery.MOST,
        lag -> lag.cluster().deadLetters());
    ofCluster(
        "seriatim.jobs.unfinished",
        null,
        "Jobs that are queued or running",
        lag -> lag.cluster().unfinishedJobs());
    ofCluster(
        "seriatim.jobs.failed",
        null,
        "Jobs that failed within the last day",
        lag -> lag.cluster().failedJobs());
    ofCluster(
        "seriatim.database.xmin.age",
        SECONDS,
        "How long the oldest open transaction has kept vacuum from removing what was deleted since",
        lag -> orZero(lag.cluster().xminAgeSeconds()));
    lanes =
        MultiGauge.builder("seriatim.lanes")
            .description("Lanes of the cluster with something queued, by what they do")
            .register(registry);
    samples = timer("look", "How long it takes to sample the queue, and to count it");
    counts = timer("count", "How long it takes to sample the queue, and to count it");
  }

  private void perPartition(
      String name,
      @Nullable String unit,
      String description,
      ToDoubleFunction<PartitionLag.Partition> value) {
    MultiGauge gauge = gauge("seriatim.partition." + name, unit, description);
    partitions.add(new PerPartition(gauge, value, new ArrayList<>()));
  }

  private void ofCluster(
      String name,
      @Nullable String unit,
      String description,
      ToDoubleFunction<PartitionLag> value) {
    cluster.add(new OfCluster(gauge(name, unit, description), value));
  }

  private MultiGauge gauge(String name, @Nullable String unit, String description) {
    return MultiGauge.builder(name).baseUnit(unit).description(description).register(registry);
  }

  private Timer timer(String step, String description) {
    return Timer.builder("seriatim.sample.duration")
        .description(description)
        .tag("step", step)
        .register(registry);
  }

  <T> void watchAge(T sampler, ToDoubleFunction<T> seconds) {
    TimeGauge.builder("seriatim.sample.age", sampler, TimeUnit.SECONDS, seconds)
        .description(
            "Time since this pod's last sample of the queue; not a number before the first")
        .register(registry);
  }

  /** Takes the place of the sample before. */
  void sampled(PartitionLag lag, Duration took) {
    samples.record(took);
    for (PartitionLag.Partition partition : lag.partitions()) {
      if (Reporters.of(lag, partition, self)) {
        Tags tags = Tags.of("partition", Integer.toString(partition.partition()));
        for (PerPartition meter : partitions) {
          meter.rows().add(row(tags, meter.value().applyAsDouble(partition)));
        }
      }
    }
    for (PerPartition meter : partitions) {
      meter.gauge().register(meter.rows(), true);
      meter.rows().clear();
    }
    boolean reports = Reporters.ofCluster(lag, self);
    for (OfCluster meter : cluster) {
      meter.gauge().register(rows(reports, meter.value().applyAsDouble(lag)), true);
    }
    lanes.register(reports ? lanes(lag) : List.of(), true);
  }

  void counted(Duration took) {
    counts.record(took);
  }

  private static List<MultiGauge.Row<?>> rows(boolean reports, double value) {
    return reports ? List.of(row(Tags.empty(), value)) : List.of();
  }

  private static List<MultiGauge.Row<?>> lanes(PartitionLag lag) {
    return List.of(
        laneRow(lag, "active", PartitionLag.Lanes::active),
        laneRow(lag, "waiting", PartitionLag.Lanes::waiting),
        laneRow(lag, "held", PartitionLag.Lanes::held));
  }

  private static MultiGauge.Row<?> laneRow(
      PartitionLag lag, String state, ToDoubleFunction<PartitionLag.Lanes> value) {
    double sum =
        lag.partitions().stream().map(PartitionLag.Partition::lanes).mapToDouble(value).sum();
    return row(Tags.of("state", state), sum);
  }

  private static MultiGauge.Row<?> row(Tags tags, double value) {
    return MultiGauge.Row.of(tags, value);
  }

  private static double orZero(@Nullable Double value) {
    return value == null ? 0 : value;
  }
}
