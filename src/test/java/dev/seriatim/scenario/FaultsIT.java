package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What can happen to a cluster, one thing at a time, under traffic. What each of them may cost is
 * what README and guarantees.md promise.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FaultsIT {

  private static final long SEED = 20_260_301;
  private static final int PODS = 3;

  /** Clean stops and what a pod gets over by itself, on a busy machine. */
  private static final Duration SHORT = Duration.ofSeconds(4);

  /**
   * Until the partitions of a pod that died are drained again: by its lock, so in some two seconds.
   */
  private static final Duration TAKEOVER_OF_DEAD = Cluster.TTL;

  /** Until the partitions of a pod that is silent, but may live, are drained again. */
  private static final Duration TAKEOVER = Cluster.TTL.plusSeconds(2);

  /** What pods say while the database is away or their sessions are torn. */
  static final String DATABASE_AWAY =
      "trying again|waits to be recorded|waits, its content|pauses|the database is away"
          + "|broken off|Failed to validate connection|marked as broken";

  /** What pods say when others took one of them for dead, or its lease ran out. */
  static final String REPLACED = "has died: its|has another owner|Lost the lease|HikariPool";

  /** What pods say of a version that was here before them. */
  static final String NEWER_TABLES = "newer than the latest available migration";

  /** What this version has, and what a later one might add. */
  private static final String LATER_MIGRATIONS =
      "classpath:db/migration,filesystem:"
          + Path.of("src", "test", "resources", "later").toAbsolutePath();

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
        Allowance.clean(SHORT),
        () -> {
          for (PodProcess pod : List.copyOf(cluster.pods())) {
            cluster.start(1);
            cluster.stop(pod);
          }
        });
    double longest = 0;
    for (PodProcess pod : cluster.pods()) {
      longest = Math.max(longest, pod.longest("seriatim.lease.handover"));
    }
    IO.println("    longest time that a partition had no owner: %.2f s".formatted(longest));
    assertThat(longest).as("given back, and taken").isBetween(0.001, SHORT.toSeconds() + 0.0);
  }

  /**
   * A later version comes, which changes the tables under pods that know nothing of it, and goes:
   * pods of this version start on tables that are newer than they know, and say so. They stay so,
   * so this is last.
   */
  @Test
  @Order(Integer.MAX_VALUE)
  void laterVersionThatMigratesAndIsRolledBackCostsNothing() throws Exception {
    run.during(
        "a later version migrates, and is rolled back",
        Allowance.clean(SHORT).warning(NEWER_TABLES),
        () -> {
          PodProcess later =
              cluster
                  .start(1, command -> command.with("spring.flyway.locations", LATER_MIGRATIONS))
                  .getFirst();
          assertThat(
                  cluster.postgres.jdbc().sql("select count(*) from later").query().singleValue())
              .isEqualTo(1L);
          cluster.awaitEvenShares();
          run.awaitMore(200);
          cluster.start(1);
          cluster.stop(later);
          run.awaitMore(100);
        });
  }

  /** W7. */
  @Test
  void joiningAndLeavingCostsNothing() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    run.during(
        "joins and leaves",
        Allowance.clean(SHORT),
        () -> {
          cluster.start(2);
          for (int leaves = 0; leaves < 3; leaves++) {
            cluster.stop(cluster.pod(random.nextInt(cluster.pods().size())));
          }
        });
  }

  /**
   * The pod dies while verdicts wait to be recorded, so that there is something to repeat: of each
   * lane only the one that was under way.
   */
  @Test
  void killedPodIsReplacedByTheOthers() throws Exception {
    PodProcess pod = cluster.pod(1);
    double before = takenOverByLock(pod);
    Tally tally =
        run.during(
            "SIGKILL",
            Allowance.crash(TAKEOVER_OF_DEAD).warning(REPLACED),
            () -> {
              try (Connection history = cluster.postgres.lock("attempt")) {
                run.awaitMore(30);
                cluster.kill(pod);
              }
              run.awaitMore(100);
              cluster.forget(pod);
            });
    assertThat(tally.duplicates()).as("what the pod could not record").isPositive();
    assertThat(takenOverByLock(pod)).as("not by waiting for the ttl").isGreaterThan(before);
  }

  /** Partitions that pods other than this one took over because an advisory lock was free. */
  private double takenOverByLock(PodProcess killed) throws Exception {
    double sum = 0;
    for (PodProcess pod : cluster.pods()) {
      if (pod != killed) {
        sum += pod.meter("seriatim.lease.takeovers?tag=evidence:lock");
      }
    }
    return sum;
  }

  /**
   * W4. The pod is stopped with answers under way and with attempts that wait for their turn to
   * send. When it goes on, its partitions have other owners, who have been refused meanwhile; and
   * it cannot learn of that at first, since no heartbeat gets through. It must record nothing and
   * send nothing.
   */
  @Test
  void pausedPodSendsNothingStaleAndRejoins() throws Exception {
    Tally tally =
        run.during(
            "SIGSTOP past the lease, SIGCONT",
            Allowance.crash(TAKEOVER.plusSeconds(4)).warning(DATABASE_AWAY + "|" + REPLACED),
            () -> {
              PodProcess pod = busiest();
              List<String> endpoints = run.endpointsOf(pod);
              CountDownLatch answer = new CountDownLatch(1);
              // Sooner than the pod's deadline, should this machine be slow.
              endpoints.forEach(
                  path ->
                      run.receiver.on(
                          path,
                          request -> Reply.status(answer.await(2, TimeUnit.SECONDS) ? 200 : 503)));
              run.burst(another(pod), endpoints, 2 * Cluster.IN_FLIGHT);
              run.receiver.awaitArrived(
                  Cluster.IN_FLIGHT,
                  "request held",
                  request -> request.status() == 0 && endpoints.contains(request.path()));
              run.awaitMore(20);
              pod.pause();
              endpoints.forEach(path -> run.receiver.on(path, Behaviour.always(503)));
              answer.countDown();
              cluster.awaitOthersOwn(pod);
              run.receiver.awaitArrived(
                  4 * Cluster.IN_FLIGHT,
                  "refusal of a new owner",
                  request -> request.status() == 503 && endpoints.contains(request.path()));
              try (Connection heartbeats = cluster.postgres.lock("worker")) {
                int recorded = run.recordedBy(pod);
                pod.resume();
                Patience.until(
                    "the pod has tried to record what it missed",
                    () ->
                        pod.log().contains("has another owner by now")
                            || run.recordedBy(pod) > recorded);
              }
              endpoints.forEach(run::behaveAsUsual);
            });
    assertThat(tally.fenced()).as("verdicts that came too late").isPositive();
  }

  /**
   * The pod is stopped in the middle of a publish, when its transaction holds rows that others
   * need: lanes, and the events that producers repeat elsewhere. They must not wait for it to go
   * on.
   */
  @Test
  void podPausedWithinATransactionStopsNobody() throws Exception {
    run.during(
        "SIGSTOP within a publish",
        Allowance.crash(TAKEOVER.plusSeconds(4)).warning(DATABASE_AWAY + "|" + REPLACED),
        () -> {
          PodProcess pod;
          try (Connection queue = cluster.postgres.lock("delivery")) {
            pod = cluster.awaitBlocked("insert into delivery%");
            pod.pause();
          }
          cluster.awaitOthersOwn(pod);
          run.awaitMore(200);
          pod.resume();
        });
  }

  private PodProcess another(PodProcess pod) {
    return cluster.pods().stream().filter(other -> other != pod).findFirst().orElseThrow();
  }

  private PodProcess busiest() {
    return cluster.pods().stream()
        .max(Comparator.comparingInt(pod -> run.endpointsOf(pod).size()))
        .orElseThrow();
  }

  /** W6, W9. */
  @Test
  void tornSessionsCostNothing() throws Exception {
    run.during(
        "pg_terminate_backend: leases, wake-ups, pools",
        Allowance.clean(SHORT).warning(DATABASE_AWAY),
        () -> {
          for (String application : List.of("seriatim-leases", "seriatim-w%", Cluster.POOLS)) {
            cluster.terminateSessions(application);
            run.awaitMore(100);
          }
          cluster.terminateSessions("%");
        });
  }

  @Test
  void fastRestartOfPostgresIsSurvived() throws Exception {
    run.during(
        "PostgreSQL restarts (fast)",
        Allowance.crash(TAKEOVER).warning(DATABASE_AWAY),
        () -> {
          cluster.postgres.restart(PostgresServer.Stop.FAST);
          run.awaitMore(300);
        });
  }

  @Test
  void immediateRestartOfPostgresIsSurvived() throws Exception {
    run.during(
        "PostgreSQL restarts (immediate)",
        Allowance.crash(TAKEOVER).warning(DATABASE_AWAY),
        () -> {
          cluster.postgres.restart(PostgresServer.Stop.IMMEDIATE);
          run.awaitMore(300);
        });
  }

  @Test
  void podThatIsCutOffIsReplacedAndRejoins() throws Exception {
    Allowance allowance =
        Allowance.crash(TAKEOVER.plusSeconds(4)).warning(DATABASE_AWAY + "|" + REPLACED);
    if (Blackout.possible()) {
      run.during(
          "packets of one pod dropped",
          allowance,
          () -> {
            PodProcess pod = cluster.pod(0);
            try (Blackout dark = new Blackout(cluster.address(pod), cluster.postgres.port())) {
              cluster.awaitOthersOwn(pod);
              run.awaitMore(60);
            }
          });
    } else {
      IO.println("No iptables here: a proxy swallows what would be dropped packets");
      try (DatabaseProxy proxy = new DatabaseProxy(cluster.postgres.url("127.0.0.1"))) {
        PodProcess pod =
            cluster
                .start(1, command -> command.with("spring.datasource.url", proxy.url()))
                .getFirst();
        cluster.awaitEvenShares();
        run.during(
            "all of one pod's traffic swallowed",
            allowance,
            () -> {
              proxy.swallow();
              cluster.awaitOthersOwn(pod);
              run.awaitMore(60);
              proxy.spit();
            });
        cluster.stop(pod);
      }
    }
  }

  /** W6. */
  @Test
  void idleTimeoutsOfTheServerCostNothing() throws Exception {
    run.during(
        "idle timeouts of 2 s",
        Allowance.clean(SHORT).warning(DATABASE_AWAY),
        () -> {
          for (String setting :
              List.of("idle_session_timeout", "idle_in_transaction_session_timeout")) {
            cluster.postgres.alterRole(setting + " = '2s'");
          }
          cluster.terminateSessions("%");
          run.awaitMore(1000);
          cluster.postgres.resetRole();
          cluster.terminateSessions("%");
        });
  }

  /** W5. */
  @Test
  void clocksApartCostNothing() throws Exception {
    Optional<FakeClock> clock = FakeClock.fiveMinutesAhead();
    assumeTrue(
        clock.isPresent(), "libfaketime is not installed here: clocks that differ are not tested");
    run.during(
        "clocks five minutes apart",
        Allowance.clean(SHORT),
        () -> {
          PodProcess ahead = cluster.start(1, clock.get()::set).getFirst();
          assertThat(ahead.lastLogged()).isAfter(Instant.now().plusSeconds(240));
          cluster.awaitEvenShares();
          run.awaitMore(200);
          PodProcess normal = cluster.pod(0);
          cluster.stop(normal);
          cluster.awaitEvenShares();
          run.awaitMore(200);
          cluster.stop(ahead);
        });
  }
}
