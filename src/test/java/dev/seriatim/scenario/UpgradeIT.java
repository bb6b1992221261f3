package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * From the previous release to this one and back under traffic, pod by pod, each of which migrates
 * when it starts. For a release; the previous one's jar must be given: {@code ./mvnw verify
 * -Dtest=NoSuch -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=UpgradeIT
 * -Dseriatim.previous.jar=seriatim-0.1.0.jar}.
 */
@EnabledIfSystemProperty(
    named = UpgradeIT.PREVIOUS,
    matches = ".+",
    disabledReason = "No jar of the previous release is given (seriatim.previous.jar)")
class UpgradeIT {

  static final String PREVIOUS = "seriatim.previous.jar";

  private static final long SEED = 20_261_129;
  private static final int PODS = 3;
  private static final Duration SHORT = Duration.ofSeconds(4);

  /** What starts from now on. */
  private boolean earlier = true;

  @Test
  void rollingUpgradeAndRollbackCostNothing() throws Exception {
    Path jar = Path.of(System.getProperty(PREVIOUS)).toAbsolutePath();
    Cluster cluster = new Cluster((host, database) -> pod(jar, Cluster.command(host, database)));
    try (FaultRun run = new FaultRun(cluster, SEED, PODS)) {
      IO.println(Tally.HEAD);
      int before = migrations(run);

      earlier = false;
      run.during(
          "the previous release is replaced pod by pod",
          Allowance.clean(SHORT),
          () -> replaceAll(run));
      IO.println("    migrations: %d, then %d".formatted(before, migrations(run)));
      assertThat(migrations(run)).isGreaterThanOrEqualTo(before);

      earlier = true;
      run.during(
          "and comes back pod by pod",
          Allowance.clean(SHORT).warning(FaultsIT.NEWER_TABLES),
          () -> replaceAll(run));
    }
  }

  private PodStart pod(Path jar, PodCommand command) {
    return earlier ? new ReleasedPod(jar, command) : command;
  }

  private static void replaceAll(FaultRun run) {
    for (PodProcess pod : List.copyOf(run.cluster.pods())) {
      run.cluster.start(1);
      run.awaitMore(100);
      run.cluster.stop(pod);
    }
  }

  private static int migrations(FaultRun run) {
    return run.cluster
        .postgres
        .jdbc()
        .sql("select count(*) from flyway_schema_history")
        .query(Integer.class)
        .single();
  }
}
