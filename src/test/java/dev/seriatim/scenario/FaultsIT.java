package dev.seriatim.scenario;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What can happen to a cluster, one thing at a time, under traffic. What each of them may cost is
 * what README and guarantees.md promise.
 */
class FaultsIT {

  private static final long SEED = 20_260_301;
  private static final int PODS = 3;

  private static FaultRun run;

  private final Cluster cluster = run.cluster;

  @BeforeAll
  static void start() throws Exception {
    run = new FaultRun(SEED, PODS);
    IO.println(Tally.HEAD);
  }

  @AfterAll
  static void stop() {
    if (run != null) {
      run.close();
    }
  }

  @BeforeEach
  void threePods() {
    cluster.resize(PODS);
  }

  /** W8. */
  @Test
  void rollingRestartCostsNothing() throws Exception {
    run.during(
        "rolling restart (SIGTERM)",
        Allowance.clean(Duration.ofSeconds(3)),
        () -> {
          for (PodProcess pod : List.copyOf(cluster.pods())) {
            cluster.start(1);
            cluster.stop(pod);
          }
        });
  }

  @Test
  void killedPodIsReplacedByTheOthers() throws Exception {
    run.during(
        "SIGKILL",
        Allowance.crash(Cluster.TTL.plusSeconds(2)),
        () -> {
          PodProcess pod = cluster.pod(1);
          cluster.kill(pod);
          run.awaitMore(100);
          cluster.forget(pod);
        });
  }
}
