package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.partition.WorkerName;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReportersTests {

  private static final List<String> PODS = List.of("pod-a", "pod-b", "pod-c");

  @Test
  void everythingIsReportedOnce() {
    PartitionLag lag =
        Lags.of(
            Lags.unowned(0, 100.0),
            Lags.owned(1, "pod-b"),
            Lags.owned(2, "pod-a"),
            Lags.owned(3, "pod-b"));

    for (PartitionLag.Partition partition : lag.partitions()) {
      assertThat(PODS.stream().filter(pod -> Reporters.of(lag, partition, pod)))
          .containsExactly(partition.partition() == 2 ? "pod-a" : "pod-b");
    }
    assertThat(PODS.stream().filter(pod -> Reporters.ofCluster(lag, pod))).containsExactly("pod-b");
  }

  @Test
  void allReportWhatNobodyOwns() {
    PartitionLag lag = Lags.of(Lags.unowned(0, 100.0), Lags.unowned(1, 100.0));

    assertThat(PODS).allMatch(pod -> Reporters.ofCluster(lag, pod));
    assertThat(PODS).allMatch(pod -> Reporters.of(lag, lag.partitions().get(1), pod));
  }

  @Test
  void sumOverPodsIsTheCluster() {
    PartitionLag lag =
        Lags.of(
            Lags.deep(0, "pod-a", 10),
            Lags.deep(1, "pod-b", 200),
            Lags.deep(2, null, 3_000),
            Lags.deep(3, "pod-c", 40_000));

    List<MeterRegistry> pods =
        Stream.concat(PODS.stream(), Stream.of("pod-d")).map(pod -> registry(lag, pod)).toList();

    assertThat(sum(pods, "seriatim.partition.depth")).isEqualTo(43_210);
    assertThat(sum(pods, "seriatim.workers")).isEqualTo(4);
    assertThat(sum(pods, "seriatim.lanes")).isEqualTo(4);
  }

  @Test
  void partitionThatChangesHandsIsNotReportedByItsFormerOwner() {
    MeterRegistry registry = new SimpleMeterRegistry();
    LagMeters meters = new LagMeters(registry, new WorkerName("pod-a"));
    meters.sampled(Lags.of(Lags.deep(0, "pod-a", 10)), Duration.ZERO);
    assertThat(sum(List.of(registry), "seriatim.partition.depth")).isEqualTo(10);

    meters.sampled(Lags.of(Lags.deep(0, "pod-b", 10)), Duration.ZERO);

    assertThat(registry.find("seriatim.partition.depth").gauges()).isEmpty();
    assertThat(registry.find("seriatim.workers").gauges()).isEmpty();
  }

  private static MeterRegistry registry(PartitionLag lag, String pod) {
    MeterRegistry registry = new SimpleMeterRegistry();
    new LagMeters(registry, new WorkerName(pod)).sampled(lag, Duration.ZERO);
    return registry;
  }

  private static double sum(List<MeterRegistry> pods, String meter) {
    return pods.stream()
        .flatMap(pod -> pod.find(meter).gauges().stream())
        .mapToDouble(Gauge::value)
        .sum();
  }
}
