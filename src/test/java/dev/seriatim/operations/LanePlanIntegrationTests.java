package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.api.PageRequest;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * I1: how much is queued does not decide what it costs to look for what is stuck. 1,000 lanes with
 * 100 deliveries each and no statistics: 400 wait, 300 are held, the rest are fine. 8 partitions.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LanePlanIntegrationTests {

  private static final int LANES = 1_000;
  private static final int DEPTH = 100;
  private static final int WAITING = LANES * 4 / 10;
  private static final int HELD = LANES * 3 / 10;

  /** A partition has what is to be sent, and what stands aside. */
  private static final int PLACES = 2 * 8;

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
  private final LaneQuery lanes =
      new LaneQuery(jdbc, new AttemptSources(jdbc), new RecentAttempts(jdbc));

  @BeforeAll
  void fill() throws IOException {
    jdbc.sql(connectionInitSql()).update();
    jdbc.sql("alter table delivery set (autovacuum_enabled = false)").update();
    jdbc.sql("alter table lane set (autovacuum_enabled = false)").update();
    LaneRowsFixture rows = new LaneRowsFixture(jdbc);
    rows.clear();
    long orders = rows.subscription("orders");
    long event = new Fixture(jdbc).event("acme", "e", "[]");
    jdbc.sql(
            """
            insert into lane (tenant, subscription_pk, key, last_sequence, state, held_by, reason, held_at)
            select 'acme', :orders, 'k' || n, :depth,
              case when n <= :held then 'HELD' else 'ACTIVE' end, case when n <= :held then 'POLICY' end,
              case when n <= :held then 'r' end, case when n <= :held then now() - n * interval '1 second' end
            from generate_series(1, :lanes) n
            """)
        .param("orders", orders)
        .param("depth", DEPTH)
        .param("held", HELD)
        .param("lanes", LANES)
        .update();
    jdbc.sql(
            """
            insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk, attempts, first_attempt_at)
            select case when l.state = 'HELD' then ~(l.id % 8)::integer else l.id % 8 end, l.id * :depth + n, l.id, n,
              :event, :orders, 0,
              case when n = 1 and l.id <= :failing then now() - l.id * interval '1 second' end
            from lane l, generate_series(1, :depth) n
            order by n, l.id
            """)
        .param("orders", orders)
        .param("event", event)
        .param("depth", DEPTH)
        .param("failing", HELD + WAITING)
        .update();
  }

  @AfterAll
  void close() {
    database.close();
  }

  @Test
  void oldestStuckKeyReadsTheFirstOfEachPartition() {
    // Those that are held fail as well and are passed by, two rows each: the failure, the lane.
    assertReads(
        list(Lane.State.WAITING, Lane.Sort.AGE, 1), 1, PLACES * 2 * 4 + 3 * HELD + DEPTH * 2);
  }

  @Test
  void pageOfHeldLanesReadsThatPage() {
    assertReads(list(Lane.State.HELD, Lane.Sort.AGE, 1), 1, 2 * DEPTH + 20);
    assertReads(list(Lane.State.HELD, Lane.Sort.AGE, 20), 20, 20 * (DEPTH + 10) + DEPTH);
  }

  @Test
  void oneKeyReadsThatLane() {
    LaneFilter filter = new LaneFilter(null, "orders", null, "k" + LANES, null, null);
    assertReads(
        () -> lanes.list(filter, Lane.Sort.AGE, PageRequest.of(null, 50)).size(), 1, DEPTH + 20);
  }

  @Test
  void allLanesReadTheirHeads() {
    assertReads(list(null, Lane.Sort.AGE, 1), 1, 5 * LANES + 2 * DEPTH);
    assertReads(list(Lane.State.ACTIVE, Lane.Sort.AGE, 1), 1, 5 * LANES + 2 * DEPTH);
  }

  @Test
  void depthIsCountedOnce() {
    assertReads(
        list(Lane.State.WAITING, Lane.Sort.DEPTH, 50),
        50,
        (DEPTH + 4) * WAITING + 5 * (HELD + LANES));
  }

  private Supplier<Integer> list(Lane.@Nullable State state, Lane.Sort sort, int limit) {
    LaneFilter filter = new LaneFilter(state, null, null, null, null, null);
    return () -> Math.min(limit, lanes.list(filter, sort, PageRequest.of(null, limit)).size());
  }

  /** More than once, so that the plan for any values comes to its turn as well. */
  private void assertReads(Supplier<Integer> list, int items, int atMost) {
    for (int time = 1; time <= 10; time++) {
      long before = rowsRead();
      assertThat(list.get()).isEqualTo(items);
      assertThat(rowsRead() - before).as("rows read, time %d", time).isBetween(1L, (long) atMost);
    }
  }

  /** Of deliveries and lanes, through indexes or without. */
  private long rowsRead() {
    jdbc.sql("select pg_stat_force_next_flush()").query().listOfRows();
    return jdbc.sql(
            """
            select (select sum(idx_tup_read) from pg_stat_user_indexes where relname in ('delivery', 'lane'))
              + (select sum(seq_tup_read) from pg_stat_user_tables where relname in ('delivery', 'lane'))
            """)
        .query(Long.class)
        .single();
  }

  /** As the service sets its connections up. */
  static String connectionInitSql() throws IOException {
    return (String)
        new YamlPropertySourceLoader()
            .load("application", new ClassPathResource("application.yml"))
            .getFirst()
            .getProperty("spring.datasource.hikari.connection-init-sql");
  }
}
