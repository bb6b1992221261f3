package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.LeaseSettings;
import dev.seriatim.partition.WorkerName;
import dev.seriatim.queue.MetricsSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** Eight partitions, 0 to 3 of pod-a and 4 to 7 of pod-b. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LagSamplerIntegrationTests {

  private static final HealthSettings HEALTH =
      new HealthSettings(Duration.ofMinutes(1), Duration.ofMinutes(1));

  private final TestDatabase database = TestDatabase.create();
  private final DataSource dataSource = database.dataSource(1);
  private final JdbcClient jdbc = JdbcClient.create(dataSource);
  private final LaneRowsFixture rows = new LaneRowsFixture(jdbc);
  private final AtomicInteger statements = new AtomicInteger();
  private final JdbcClient counted = JdbcClient.create(new Counting(dataSource, statements));
  private final AtomicLong nanos = new AtomicLong();

  private static final class Counting extends JdbcTemplate {
    private final AtomicInteger statements;

    Counting(DataSource dataSource, AtomicInteger statements) {
      super(dataSource);
      this.statements = statements;
    }

    @Override
    protected void applyStatementSettings(Statement statement) {
      statements.incrementAndGet();
    }
  }

  /** A sampler of a pod, moved by hand. */
  private final class Sampler {
    final MeterRegistry registry = new SimpleMeterRegistry();
    final AtomicInteger counts = new AtomicInteger();
    final LagSampler sampler;
    Duration lookTakes = Duration.ZERO;

    Sampler(String pod, Duration countTakes) {
      WorkerName self = new WorkerName(pod);
      QueueCounts counting =
          new QueueCounts(counted) {
            @Override
            void count() {
              super.count();
              counts.incrementAndGet();
              nanos.addAndGet(countTakes.toNanos());
            }
          };
      this.sampler =
          new LagSampler(
              new LagQuery(counted, JsonMapper.shared(), leases()) {
                @Override
                PartitionLag sample() {
                  nanos.addAndGet(lookTakes.toNanos());
                  return super.sample();
                }
              },
              counting,
              new LagMeters(registry, self),
              self,
              nanos::get,
              new MetricsSettings(Duration.ofSeconds(5)));
    }

    /** As at a start: the first look, then a round with a count. */
    Sampler started() {
      assertThat(sampler.round()).isZero();
      sampler.round();
      return this;
    }

    PartitionLag.Partition partition(int number) {
      return sampler.sample().partitions().get(number);
    }

    double gauge(String name, int partition) {
      Gauge gauge = registry.find(name).tag("partition", Integer.toString(partition)).gauge();
      return gauge == null ? Double.NaN : gauge.value();
    }
  }

  @BeforeAll
  void setConnectionUp() throws IOException {
    jdbc.sql(LanePlanIntegrationTests.connectionInitSql()).update();
  }

  @BeforeEach
  void clear() {
    rows.clear();
    jdbc.sql("truncate worker, job, partition_count, partition_activity").update();
    rows.set(
        """
        partition set epoch = 7, worker = case when id < 4 then 'pod-a' else 'pod-b' end,
          acquired_at = clock_timestamp(), lease_until = clock_timestamp() + interval '1 day'
        """);
  }

  @AfterAll
  void close() {
    database.close();
  }

  @Test
  void stuckHeadOfAShallowPartitionIsRedAndADeepPartitionThatDrainsIsNot() {
    // The fixture's rows are in partition 5.
    long subscription = rows.subscription("s");
    long stuck = rows.lane(subscription, "stuck", 1);
    rows.failing(stuck, "2 minutes");
    deep(3, 2_000, "2 hours");
    Sampler b = new Sampler("pod-b", Duration.ZERO).started();
    Sampler a = new Sampler("pod-a", Duration.ZERO).started();
    b.sampler.round();

    assertThat(a.partition(3).depth()).isEqualTo(2_000);
    assertThat(a.partition(3).oldestAgeSeconds()).isGreaterThanOrEqualTo(7_200);
    assertThat(a.partition(3).headAgeSeconds()).isNull();
    assertThat(a.gauge("seriatim.partition.head.age", 3)).isZero();
    assertThat(a.gauge("seriatim.partition.depth", 3)).isEqualTo(2_000);
    assertThat(a.gauge("seriatim.partition.head.age", 5)).as("not its own").isNaN();
    assertThat(b.partition(5).depth()).isOne();
    assertThat(b.gauge("seriatim.partition.head.age", 5)).isGreaterThanOrEqualTo(120);
    var health = QueueHealthIndicator.of(a.sampler.sample(), HEALTH);
    assertThat(health.getStatus()).isEqualTo(QueueHealthIndicator.STALLED);
    assertThat(health.getDetails().get("stalled")).hasToString("[5]");

    rows.set("delivery set first_attempt_at = null where first_attempt_at is not null");
    a.sampler.round();
    assertThat(QueueHealthIndicator.of(a.sampler.sample(), HEALTH).getStatus())
        .isEqualTo(Status.UP);
  }

  @Test
  void lanesAreCountedByWhatTheyDoWhereverTheyStand() {
    long orders = rows.subscription("orders");
    long disabled = rows.subscription("disabled");
    rows.lane(orders, "active", 3);
    rows.failing(rows.lane(orders, "waiting", 2), "10 seconds");
    long held = rows.lane(orders, "held", 2);
    rows.failing(held, "1 hour");
    rows.held(held, "POLICY", "1 hour");
    rows.aside(held);
    rows.failing(rows.lane(disabled, "disabled", 1), "1 hour");
    rows.set("subscription set state = 'DISABLED' where id = 'disabled'");

    PartitionLag.Partition partition = new Sampler("pod-a", Duration.ZERO).started().partition(5);

    assertThat(partition.lanes()).isEqualTo(new PartitionLag.Lanes(1, 1, 2));
    assertThat(partition.keys()).isEqualTo(4);
    assertThat(partition.depth()).isEqualTo(8);
    assertThat(partition.headAgeSeconds()).as("what is held does not fail").isBetween(10.0, 600.0);
  }

  @Test
  void roundIsOneStatementAndOneCountAndWhoeverAsksCostsNone() {
    Sampler pod = new Sampler("pod-a", Duration.ofMillis(10)).started();
    QueueHealthIndicator health = new QueueHealthIndicator(pod.sampler, HEALTH);
    statements.set(0);

    for (int i = 0; i < 1_000; i++) {
      pod.sampler.sample();
      health.health();
      pod.registry.getMeters().forEach(meter -> meter.measure().forEach(m -> m.getValue()));
    }
    assertThat(statements).hasValue(0);

    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    pod.sampler.round();
    assertThat(statements).hasValue(2);
  }

  @Test
  void queueThatTakesLongToCountIsCountedSeldom() {
    Sampler pod = new Sampler("pod-a", Duration.ofSeconds(2)).started();
    assertThat(pod.counts).hasValue(1);

    for (int round = 0; round < 39; round++) {
      nanos.addAndGet(Duration.ofSeconds(5).toNanos());
      pod.sampler.round();
    }
    assertThat(pod.counts).as("195 s after a count of 2 s").hasValue(1);
    assertThat(pod.sampler.age()).hasValue(0);

    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    pod.sampler.round();
    assertThat(pod.counts).hasValue(2);
  }

  @Test
  void queueThatTakesLongToLookAtIsLookedAtSeldomAndOneSlowLookIsNotAQueue() {
    Sampler pod = new Sampler("pod-a", Duration.ZERO).started();
    pod.lookTakes = Duration.ofMillis(500);
    assertThat(pod.sampler.round()).isEqualTo(Duration.ofSeconds(5));
    pod.lookTakes = Duration.ZERO;
    assertThat(pod.sampler.round()).isEqualTo(Duration.ofSeconds(5));

    pod.lookTakes = Duration.ofMillis(500);
    pod.sampler.round();
    assertThat(pod.sampler.round()).isEqualTo(Duration.ofMillis(99 * 500));
    assertThat(pod.sampler.late()).as("not as long as it rests").isNegative();
    nanos.addAndGet(Duration.ofSeconds(60).toNanos());
    assertThat(pod.sampler.late()).isPositive();

    pod.lookTakes = Duration.ofSeconds(10);
    pod.sampler.round();
    assertThat(pod.sampler.round()).as("a stuck head must show").isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void onePodCountsForAll() {
    deep(6, 10, "1 minute");
    Sampler b = new Sampler("pod-b", Duration.ZERO).started();
    assertThat(b.counts).hasValue(0);
    assertThat(b.partition(6).depth()).isZero();
    assertThat(b.partition(6).countedAt()).isNull();

    Sampler a = new Sampler("pod-a", Duration.ZERO).started();
    assertThat(a.counts).hasValue(1);
    b.sampler.round();
    assertThat(b.partition(6).depth()).isEqualTo(10);

    // It takes over once nobody else owns anything lower.
    rows.set("partition set lease_until = clock_timestamp() - interval '90 seconds' where id < 4");
    b.sampler.round();
    b.sampler.round();
    assertThat(b.counts).hasValue(1);
    assertThat(b.gauge("seriatim.partition.unowned.age", 0)).isGreaterThanOrEqualTo(90);
    assertThat(QueueHealthIndicator.of(b.sampler.sample(), HEALTH).getStatus())
        .isEqualTo(QueueHealthIndicator.UNOWNED);
  }

  // I1: how deep the lanes are decides nothing but how many index entries are counted.
  @Test
  void countReadsNoRowOfTheQueueButTheHeads() {
    long orders = rows.subscription("orders");
    for (int lane = 0; lane < 20; lane++) {
      rows.lane(orders, "k" + lane, 1);
    }
    jdbc.sql(
            """
            insert into delivery (partition, tx, id, lane_id, sequence, event_pk, subscription_pk)
            select d.partition, d.tx, d.id * 1000 + n, d.lane_id, n, d.event_pk, d.subscription_pk
            from delivery d, generate_series(2, 500) n
            """)
        .update();
    // Vacuum marks as visible to all only what is on disk; the tests' server does not wait for
    // that.
    jdbc.sql("checkpoint").update();
    jdbc.sql("vacuum analyze delivery").update();
    Sampler pod = new Sampler("pod-a", Duration.ZERO).started();
    assertThat(pod.partition(5).depth()).isEqualTo(10_000);
    long before = rowsFetched();

    new QueueCounts(jdbc).count();

    assertThat(rowsFetched() - before).isBetween(20L, 60L);
    before = rowsFetched();
    new LagQuery(jdbc, JsonMapper.shared(), leases()).sample();
    assertThat(rowsFetched() - before).isBetween(1L, 40L);
  }

  private long rowsFetched() {
    jdbc.sql("select pg_stat_force_next_flush()").query().listOfRows();
    return jdbc.sql(
            "select idx_tup_fetch + seq_tup_read from pg_stat_user_tables where relname = 'delivery'")
        .query(Long.class)
        .single();
  }

  @Test
  void clusterHasItsDeadLettersAndJobsAndTheOldestTransaction() throws Exception {
    long orders = rows.subscription("orders");
    Fixture fixture = new Fixture(jdbc);
    long event = fixture.event("acme", "dead", "[]");
    fixture.deadLetter("acme", event, 1, orders, null, null, "TOO_OLD", "2026-01-02 00:00Z");
    fixture.deadLetter("acme", event, 2, orders, null, null, "TOO_OLD", "2026-01-02 00:00Z");
    rows.set("dead_letter set discarded_at = now() where delivery_id = 2");
    jdbc.sql(
            """
            insert into job (kind, parameters, operator, state, finished_at)
            values ('REDELIVER', '{}', 'me', 'FAILED', now()), ('REDELIVER', '{}', 'me', 'FAILED', now() - interval '2 days'),
              ('REDELIVER', '{}', 'me', 'QUEUED', null)
            """)
        .update();
    LagQuery query = new LagQuery(jdbc, JsonMapper.shared(), leases());
    assertThat(query.sample().cluster()).isEqualTo(new PartitionLag.Cluster(1, 1, 1, null));

    try (var other = database.dataSource(1).getConnection()) {
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (var read = other.createStatement()) {
        read.execute("select 1");
        assertThat(query.sample().cluster().xminAgeSeconds()).isBetween(0.0, 600.0);
      }
      other.rollback();
    }
    assertThat(query.sample().cluster().xminAgeSeconds()).isNull();
  }

  private void deep(int partition, int depth, String age) {
    long subscription = rows.subscription("deep");
    long lane = rows.lane(subscription, "deep", 0);
    jdbc.sql(
            """
            insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk, enqueued_at)
            select :partition, 1000000 + n, :lane, n, 1, :subscription, clock_timestamp() - :age::interval
            from generate_series(1, :depth) n
            """)
        .param("partition", partition)
        .param("lane", lane)
        .param("subscription", subscription)
        .param("age", age)
        .param("depth", depth)
        .update();
  }

  private static LeaseSettings leases() {
    return new LeaseSettings(
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofMillis(1_500));
  }
}
