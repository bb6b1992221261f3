package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.seriatim.TestDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What it costs to look at a long queue: one pod, 10,000 lanes with 1,000,000 deliveries, paused,
 * so that nothing else happens. Minutes with and without somebody who looks once a second take
 * turns, so that both see the same noise; what is compared is processor time, of the pod's process
 * and of the server's, and statements.
 */
@Tag("bench")
class LookingBenchmarkTests {

  private static final int LANES = 10_000;
  private static final int ROWS_EACH = 100;
  private static final int TURNS = Integer.getInteger("looking.turns", 5);
  private static final Duration TURN =
      Duration.ofSeconds(Integer.getInteger("looking.seconds", 20));
  private static final int PARTITIONS = 64;

  /** So that what is looked at often is compiled, as in a pod that has run for an hour. */
  private static final int WARM_UP = 1_000;

  private static final String QUEUE =
      """
      with s as (
        select pk from subscription
      ), lanes as (
        insert into lane (tenant, subscription_pk, key, last_sequence)
        select 'acme', s.pk, 'k' || n, :rows from s, generate_series(1, :lanes) n
        returning id
      ), event as (
        insert into event (pk, tenant, id, type, content_type, payload, fingerprint, deliveries)
        select nextval('queue_id'), 'acme', 'e', 't', 'text/plain', convert_to(repeat('x', 500), 'UTF8'), '', '[]'
        returning pk
      )
      insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
      select r.lane % :partitions, nextval('queue_id'), r.lane, r.n, event.pk, s.pk
      from s, event, (select lanes.id as lane, n from generate_series(1, :rows) n, lanes order by n, lanes.id) r
      """;

  /** What was used in a turn. */
  private record Cost(double seconds, double service, double postgres, double statements) {

    /** Of all processors of the machine. */
    double load() {
      return (service + postgres) / seconds / Runtime.getRuntime().availableProcessors();
    }
  }

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(1));

  @Test
  void lookingEverySecondAddsLessThanTwoPercentAndNoStatement() throws Exception {
    try (database;
        PodProcess pod = PodProcess.start(database, "512m")) {
      pod.post(
          "/v1/subscriptions",
          "{\"id\": \"s\", \"tenant\": \"acme\", \"url\": \"http://127.0.0.1:9/\", \"ordering\": \"RESOURCE\"}");
      jdbc.sql("update partition set paused_reason = 'bench', paused_at = clock_timestamp()")
          .update();
      jdbc.sql(QUEUE)
          .param("lanes", LANES)
          .param("rows", ROWS_EACH)
          .param("partitions", PARTITIONS)
          .update();
      jdbc.sql("vacuum analyze delivery").update();
      Patience.until(
          "the queue is counted",
          Duration.ofMinutes(5),
          () ->
              jdbc.sql("select coalesce(sum(depth), 0) from partition_count")
                      .query(Long.class)
                      .single()
                  == (long) LANES * ROWS_EACH);
      for (int i = 0; i < WARM_UP; i++) {
        look(pod);
      }
      Cost[] without = new Cost[TURNS];
      Cost[] with = new Cost[TURNS];
      for (int turn = 0; turn < TURNS; turn++) {
        without[turn] = turn(pod, false);
        with[turn] = turn(pod, true);
      }
      Cost quiet = print("nobody looks", without);
      Cost looked = print("looked at", with);
      IO.println(
          "A look of the sampler takes %.1f ms, the longest %.1f ms; a count %.0f ms, %.0f of them in all"
              .formatted(
                  mean(pod, "look") * 1e3,
                  pod.longest("seriatim.sample.duration?tag=step:look") * 1e3,
                  mean(pod, "count") * 1e3,
                  pod.meter("seriatim.sample.duration?tag=step:count")));
      IO.println("Added: %.2f %% of the machine".formatted((looked.load() - quiet.load()) * 100));

      assertThat(looked.load() - quiet.load()).isLessThan(0.02);
      assertThat(looked.statements() / looked.seconds())
          .isCloseTo(quiet.statements() / quiet.seconds(), offset(0.5));
    }
  }

  private Cost turn(PodProcess pod, boolean looks) throws Exception {
    double statements = pod.meter("seriatim.sql.statements");
    double service = seconds(pod.processorTime());
    double postgres = postgres();
    long start = System.nanoTime();
    long end = start + TURN.toNanos();
    long next = start;
    while (System.nanoTime() - end < 0) {
      if (looks) {
        look(pod);
      }
      next += TimeUnit.SECONDS.toNanos(1);
      LockSupport.parkNanos(next - System.nanoTime());
    }
    double took = (System.nanoTime() - start) / 1e9;
    return new Cost(
        took,
        seconds(pod.processorTime()) - service,
        postgres() - postgres,
        pod.meter("seriatim.sql.statements") - statements);
  }

  private static void look(PodProcess pod) throws Exception {
    for (String path :
        List.of("/actuator/prometheus", "/actuator/partitions", "/actuator/health/partitions")) {
      pod.status("GET", path, "");
    }
  }

  /** The server's processes, those left out that have ended, such as autovacuum's. */
  private double postgres() {
    ProcessHandle server =
        ProcessHandle.of(jdbc.sql("select pg_backend_pid()").query(Long.class).single())
            .flatMap(ProcessHandle::parent)
            .orElseThrow();
    return Stream.concat(Stream.of(server), server.children())
        .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
        .mapToDouble(LookingBenchmarkTests::seconds)
        .sum();
  }

  private static Cost print(String what, Cost[] turns) {
    Cost[] sorted = turns.clone();
    Arrays.sort(sorted, Comparator.comparingDouble(Cost::load));
    Cost median = sorted[turns.length / 2];
    IO.println(
        "%-12s over %.0f s, median of %d: service %.2f s, PostgreSQL %.2f s, %.1f statements/s, %.2f %% of the machine (%.2f to %.2f)"
            .formatted(
                what,
                median.seconds(),
                turns.length,
                median.service(),
                median.postgres(),
                median.statements() / median.seconds(),
                median.load() * 100,
                sorted[0].load() * 100,
                sorted[turns.length - 1].load() * 100));
    return median;
  }

  private static double mean(PodProcess pod, String step) throws Exception {
    String timer = "seriatim.sample.duration?tag=step:" + step;
    return pod.total(timer) / pod.meter(timer);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
