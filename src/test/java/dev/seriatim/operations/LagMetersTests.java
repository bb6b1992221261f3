package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.partition.WorkerName;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LagMetersTests {

  private static final PartitionLag.Partition OF_A = Lags.owned(0, "pod-a");

  @Test
  void scrapeBesideSamplesSeesEachMeterOnce() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    LagMeters meters = new LagMeters(registry, new WorkerName("pod-a"));
    PartitionLag lag = Lags.of(OF_A, Lags.deep(1, "pod-a", 7));
    meters.sampled(lag, Duration.ZERO);
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> sampling =
        CompletableFuture.runAsync(
            () -> {
              while (!done.get()) {
                meters.sampled(lag, Duration.ZERO);
              }
            });
    try {
      for (int scrape = 0; scrape < 2_000; scrape++) {
        // Throws when a meter is there twice.
        assertThat(registry.scrape().lines())
            .contains("seriatim_partition_depth{partition=\"1\"} 7.0", "seriatim_jobs_failed 0.0");
      }
    } finally {
      done.set(true);
      sampling.join();
    }
  }

  @Test
  void gaugesFollowTheSamplesAndTheOwner() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    LagMeters meters = new LagMeters(registry, new WorkerName("pod-a"));

    meters.sampled(Lags.of(OF_A, Lags.deep(1, "pod-a", 7)), Duration.ZERO);
    assertThat(depth(registry)).isEqualTo(7);
    meters.sampled(Lags.of(OF_A, Lags.deep(1, "pod-a", 8)), Duration.ZERO);
    assertThat(depth(registry)).isEqualTo(8);

    meters.sampled(Lags.of(OF_A, Lags.deep(1, "pod-b", 8)), Duration.ZERO);
    assertThat(registry.find("seriatim.partition.depth").tag("partition", "1").gauge()).isNull();
    assertThat(registry.find("seriatim.workers").gauge()).isNotNull();

    meters.sampled(Lags.of(Lags.owned(0, "pod-b"), Lags.deep(1, "pod-b", 8)), Duration.ZERO);
    assertThat(registry.find("seriatim.workers").gauge()).isNull();

    meters.sampled(Lags.of(OF_A, Lags.deep(1, "pod-a", 9)), Duration.ZERO);
    assertThat(depth(registry)).isEqualTo(9);
  }

  private static double depth(SimpleMeterRegistry registry) {
    return registry.get("seriatim.partition.depth").tag("partition", "1").gauge().value();
  }
}
