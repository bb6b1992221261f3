package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
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

  @Test
  void rollingUpgradeAndRollbackCostNothing() throws Exception {
    Path previous = Path.of(System.getProperty(PREVIOUS)).toAbsolutePath();
    UnaryOperator<PodCommand> earlier = command -> command.jar(previous);
    try (FaultRun run = new FaultRun(SEED, PODS, earlier)) {
      IO.println(Tally.HEAD);
      int before = migrations(run);
      run.during(
          "the previous release is replaced pod by pod",
          Allowance.clean(SHORT),
          () -> replaceAll(run, UnaryOperator.identity()));
      IO.println("    migrations: %d, then %d".formatted(before, migrations(run)));
      assertThat(migrations(run)).isGreaterThanOrEqualTo(before);
      run.during(
          "and comes back pod by pod",
          Allowance.clean(SHORT).warning(FaultsIT.NEWER_TABLES),
          () -> replaceAll(run, earlier));
    }
  }

  private static void replaceAll(FaultRun run, UnaryOperator<PodCommand> change) {
    for (PodProcess pod : List.copyOf(run.cluster.pods())) {
      run.cluster.start(1, change);
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
