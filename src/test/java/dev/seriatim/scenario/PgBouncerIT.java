package dev.seriatim.scenario;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** W11: all pods reach PostgreSQL through PgBouncer in transaction mode. */
class PgBouncerIT {

  private static final long SEED = 20_260_302;

  @Test
  void everythingWorksBehindPgBouncer() throws Exception {
    try (FaultRun run = new FaultRun(SEED, 1);
        PgBouncer pooler =
            PgBouncer.startOrSkip(
                run.cluster.postgres.url("127.0.0.1"), PostgresServer.USER, "none")) {
      Cluster cluster = run.cluster;
      PodProcess direct = cluster.pod(0);
      cluster.start(2, pod -> pod.with("spring.datasource.url", pooler.url()));
      cluster.stop(direct);
      cluster.awaitEvenShares();
      IO.println(Tally.HEAD);
      run.during(
          "PgBouncer: a pod leaves and another joins",
          Allowance.clean(Duration.ofSeconds(4)),
          () -> {
            cluster.start(1, pod -> pod.with("spring.datasource.url", pooler.url()));
            cluster.stop(cluster.pod(0));
          });
      run.during(
          "PgBouncer: SIGKILL",
          Allowance.crash(Cluster.TTL.plusSeconds(3)),
          () -> {
            PodProcess pod = cluster.pod(0);
            cluster.kill(pod);
            run.awaitMore(100);
            cluster.forget(pod);
          });
      cluster.pods().forEach(PodProcess::terminate);
    }
  }
}
