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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The meters of the queue: the last sample, as far as it is {@linkplain Reporters this pod's to
 * report}. Nobody who reads them asks the database.
 *
 * <p>A gauge is registered when it becomes this pod's to report and removed when it is no longer;
 * in between it stays, and reads the last sample. To replace it with each sample would now and then
 * show a scrape both, the old and the new, which Prometheus refuses as a duplicate.
 *
 * <p>Concurrency: {@link #sampled} and {@link #counted} by one thread at a time; gauges are read by
 * any.
 */
@Component
class LagMeters {

  private static final String SECONDS = "seconds";

  /** A gauge per partition. */
  private record PerPartition(MultiGauge gauge, ToDoubleFunction<PartitionLag.Partition> value) {}

  /** Gauges of the cluster, registered by the pod that reports it. */
  private record OfCluster(MultiGauge gauge, List<MultiGauge.Row<?>> rows) {}

  /** The last sample, with its partitions by number. */
  private record Latest(PartitionLag lag, Map<Integer, PartitionLag.Partition> partitions) {

    static Latest of(PartitionLag lag) {
      return new Latest(
          lag,
          lag.partitions().stream()
              .collect(Collectors.toMap(PartitionLag.Partition::partition, Function.identity())));
    }
  }

  private final MeterRegistry registry;
  private final String self;
  private final List<PerPartition> partitions = new ArrayList<>();
  private final List<OfCluster> cluster = new ArrayList<>();
  private final Timer samples;
  private final Timer counts;

  /** Absent before the first sample. Volatile: gauges are read by other threads. */
  private volatile @Nullable Latest latest;

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
    cluster.add(
        new OfCluster(
            gauge(
                "seriatim.lanes",
                null,
                "Lanes of the cluster with something queued, by what they do"),
            List.of(
                laneRow("active", PartitionLag.Lanes::active),
                laneRow("waiting", PartitionLag.Lanes::waiting),
                laneRow("held", PartitionLag.Lanes::held))));
    samples = timer("look", "How long it takes to sample the queue, and to count it");
    counts = timer("count", "How long it takes to sample the queue, and to count it");
  }

  private void perPartition(
      String name,
      @Nullable String unit,
      String description,
      ToDoubleFunction<PartitionLag.Partition> value) {
    MultiGauge gauge = gauge("seriatim.partition." + name, unit, description);
    partitions.add(new PerPartition(gauge, value));
  }

  private void ofCluster(
      String name,
      @Nullable String unit,
      String description,
      ToDoubleFunction<PartitionLag> value) {
    cluster.add(
        new OfCluster(
            gauge(name, unit, description),
            List.of(row(Tags.empty(), last -> value.applyAsDouble(last.lag())))));
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
    latest = Latest.of(lag);
    List<Integer> reported =
        lag.partitions().stream()
            .filter(partition -> Reporters.of(lag, partition, self))
            .map(PartitionLag.Partition::partition)
            .toList();
    for (PerPartition meter : partitions) {
      meter.gauge().register(reported.stream().map(n -> partitionRow(n, meter.value())).toList());
    }
    boolean reports = Reporters.ofCluster(lag, self);
    for (OfCluster meter : cluster) {
      meter.gauge().register(reports ? meter.rows() : List.of());
    }
  }

  void counted(Duration took) {
    counts.record(took);
  }

  private MultiGauge.Row<?> partitionRow(
      int partition, ToDoubleFunction<PartitionLag.Partition> value) {
    return row(
        Tags.of("partition", Integer.toString(partition)),
        last -> {
          PartitionLag.Partition lag = last.partitions().get(partition);
          return lag == null ? Double.NaN : value.applyAsDouble(lag);
        });
  }

  private MultiGauge.Row<?> laneRow(String state, ToDoubleFunction<PartitionLag.Lanes> value) {
    return row(
        Tags.of("state", state),
        last ->
            last.lag().partitions().stream()
                .map(PartitionLag.Partition::lanes)
                .mapToDouble(value)
                .sum());
  }

  private MultiGauge.Row<?> row(Tags tags, ToDoubleFunction<Latest> value) {
    return MultiGauge.Row.of(
        tags,
        this,
        meters -> {
          Latest last = meters.latest;
          return last == null ? Double.NaN : value.applyAsDouble(last);
        });
  }

  private static double orZero(@Nullable Double value) {
    return value == null ? 0 : value;
  }
}
