package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.partition.WorkerName;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * I1: what the steps aside and back read is bounded by the rows they move, whatever the planner
 * knows of the table.
 */
class AsidePlanIntegrationTests {

  private static final int ROWS = 20_000;
  private static final int STEP = 500;

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
  private final Aside aside = new Aside(jdbc, new PartitionLog(jdbc, System::nanoTime));
  private final PartitionLease lease =
      new PartitionLease(0, 1, UUID.randomUUID(), System::nanoTime, Long.MAX_VALUE);
  private long lane;

  /** The queue was empty when it was last analyzed, as a queue is. */
  @BeforeEach
  void fill() throws IOException {
    jdbc.sql(connectionInitSql()).update();
    // Some lanes were delivered, and the last pages are kept, as beside a row that is being sent.
    jdbc.sql("alter table delivery set (autovacuum_enabled = off, vacuum_truncate = off)").update();
    jdbc.sql(
            """
            insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
            select 0, n, 1, n, 1, 1 from generate_series(1, 500) n
            """)
        .update();
    jdbc.sql("delete from delivery").update();
    jdbc.sql("vacuum analyze delivery").update();
    jdbc.sql(
            """
            insert into subscription (id, tenant, url, event_types, ordering, on_exhausted, blocks, max_attempts,
              initial_delay_ms, multiplier, max_delay_ms, jitter, max_age_ms, timeout_ms, max_in_flight)
            values ('orders', 'acme', 'http://orders', '{*}', 'RESOURCE', 'EJECT', 'LANE', 9, 1, 2, 1, 0, 1, 1, 1)
            """)
        .update();
    lane =
        jdbc.sql(
                """
                insert into lane (tenant, subscription_pk, key, state, held_by, reason, held_at)
                select 'acme', pk, 'held', 'HELD', 'OPERATOR', 'test', now() from subscription
                returning id
                """)
            .query(Long.class)
            .single();
    jdbc.sql(
            """
            insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
            select 0, n, :lane, n, 1, pk from subscription, generate_series(1, :rows) n
            """)
        .param("lane", lane)
        .param("rows", ROWS)
        .update();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void lanesMoveInStepsThatReadOnlyWhatTheyMove() {
    long before = read();
    along(after -> aside.laneAside(lane, after, STEP));
    assertThat(standingAside()).isEqualTo(ROWS);
    assertThat(read() - before).as("aside").isLessThan(4 * ROWS);

    jdbc.sql("update lane set state = 'ACTIVE', held_by = null, reason = null, held_at = null")
        .update();
    before = read();
    along(after -> aside.laneBack(lane, after, STEP));
    assertThat(standingAside()).isZero();
    assertThat(read() - before).as("back").isLessThan(5 * ROWS);
  }

  @Test
  void passOfANewOwnerReadsEachRowOnceAndOnceMoreToMoveIt() {
    jdbc.sql("update delivery set partition = ~partition").update();
    long before = read();
    Place after = Place.START;
    while (after != null) {
      after = aside.back(lease, after, STEP).last();
    }
    assertThat(standingAside()).isEqualTo(ROWS);
    assertThat(read() - before).isLessThan(4 * ROWS);
  }

  @Test
  void disabledSubscriptionMovesInStepsThatReadOnlyWhatTheyMove() {
    jdbc.sql("update subscription set state = 'DISABLED'").update();
    long pk = jdbc.sql("select pk from subscription").query(Long.class).single();
    long before = read();
    Place after = Place.START;
    while (after != null) {
      after = aside.subscriptionAside(0, pk, after, STEP);
    }
    assertThat(standingAside()).isEqualTo(ROWS);
    assertThat(read() - before).isLessThan(4 * ROWS);
  }

  @Test
  void cancellingReadsOnlyWhatItRemoves() {
    jdbc.sql("insert into partition (id, epoch) values (0, 1)").update();
    PartitionLog log = new PartitionLog(jdbc, System::nanoTime);
    SettleWriter writer = new SettleWriter(jdbc, new WorkerName("test"));
    long before = read();
    for (int page = 0; page < ROWS / STEP; page++) {
      writer.cancel(lease, log.page(lease, Place.START, STEP).deliveries());
    }
    assertThat(jdbc.sql("select count(*) from delivery").query(Long.class).single()).isZero();
    // Without a vacuum each page passes by what the former ones removed, in the worst case.
    assertThat(read() - before).isLessThan((long) ROWS * ROWS / STEP);
  }

  private interface Step {
    OptionalLong behind(long sequence);
  }

  private static void along(Step step) {
    OptionalLong after = OptionalLong.of(0);
    while (after.isPresent()) {
      after = step.behind(after.getAsLong());
    }
  }

  private long standingAside() {
    return jdbc.sql("select count(*) from delivery where partition < 0").query(Long.class).single();
  }

  /** Entries of the indexes of the queue, and rows of scans. */
  private long read() {
    jdbc.sql("select pg_stat_force_next_flush()").query().listOfRows();
    return jdbc.sql(
            """
            select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'delivery')
              + (select seq_tup_read from pg_stat_user_tables where relname = 'delivery')
            """)
        .query(Long.class)
        .single();
  }

  /** As the service sets its connections up. */
  private static String connectionInitSql() throws IOException {
    return (String)
        new YamlPropertySourceLoader()
            .load("application", new ClassPathResource("application.yml"))
            .getFirst()
            .getProperty("spring.datasource.hikari.connection-init-sql");
  }
}
