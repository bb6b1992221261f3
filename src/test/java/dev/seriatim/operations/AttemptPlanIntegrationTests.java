package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.api.Page;
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
 * What a page of the history costs depends on the page, not on the history nor on what the planner
 * knows of it. 30 days with 2,000 attempts each and no statistics, half of them of one
 * subscription; each day there is one failure, and one attempt of a lane that nobody else is in.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AttemptPlanIntegrationTests {

  private static final int DAYS = 30;
  private static final int A_DAY = 2_000;

  /**
   * A merge looks at one attempt of each day, and of the default table, before it has the first.
   */
  private static final int FIRST_OF_EACH = DAYS + 1;

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
  private final Fixture rows = new Fixture(jdbc);
  private final AttemptQuery attempts = new AttemptQuery(jdbc, new AttemptSources(jdbc));

  @BeforeAll
  void fill() throws IOException {
    jdbc.sql(connectionInitSql()).update();
    long busy = rows.subscription("busy", "acme", "ENABLED");
    long other = rows.subscription("other", "acme", "ENABLED");
    long many = rows.lane("acme", busy, "many");
    long rare = rows.lane("acme", busy, "rare");
    long event = rows.event("acme", "e1", "[]");
    for (int day = 1; day <= DAYS; day++) {
      jdbc.sql(
              """
              create table attempt_202601%1$02d partition of attempt
                for values from ('2026-01-%1$02d 00:00Z') to (timestamptz '2026-01-%1$02d 00:00Z' + interval '1 day')
              """
                  .formatted(day))
          .update();
      jdbc.sql("alter table attempt_202601%02d set (autovacuum_enabled = false)".formatted(day))
          .update();
    }
    jdbc.sql(
            """
            insert into attempt (at, event_pk, subscription_pk, delivery_id, lane_id, sequence, partition, epoch, worker,
              attempt, verdict, status, duration_ms)
            select timestamptz '2026-01-01 00:00Z' + day * interval '1 day' + n * interval '1 second',
              case when day = 3 and n between 101 and 110 then :event else -n end,
              case when n % 2 = 0 then :busy else :other end, day * 10000 + n,
              case when n = 1000 then :rare else :many end, n, 0, 1, 'p', 1,
              case when n = 500 then 'TIMEOUT' else 'DELIVERED' end, 204, 1
            from generate_series(0, :days - 1) day, generate_series(1, :each) n
            """)
        .param("event", event)
        .param("busy", busy)
        .param("other", other)
        .param("rare", rare)
        .param("many", many)
        .param("days", DAYS)
        .param("each", A_DAY)
        .update();
  }

  @AfterAll
  void close() {
    database.close();
  }

  @Test
  void subscriptionReadsItsPage() {
    assertReads(page("subscription", null, null, false, null, null), 50, 51 + FIRST_OF_EACH);
    assertReads(page("tenant", null, null, false, null, null), 50, 2 * (51 + FIRST_OF_EACH));
  }

  @Test
  void pageInTheMiddleReadsNothingNewer() {
    String middle = "2026-01-15T00:00:00Z";
    assertReads(page("subscription", null, null, false, null, middle), 50, 51 + FIRST_OF_EACH / 2);
    AttemptFilter filter = filter("subscription", null, null, false, null, null);
    String cursor = attempts.list(filter, PageRequest.of(null, 500)).nextCursor();
    assertReads(() -> attempts.list(filter, PageRequest.of(cursor, null)), 50, 51 + FIRST_OF_EACH);
  }

  @Test
  void dayReadsThatDay() {
    assertReads(
        page("subscription", null, null, false, "2026-01-15T00:00:00Z", "2026-01-16T00:00:00Z"),
        50,
        51 + 2);
  }

  @Test
  void failuresAreReadAlone() {
    assertReads(page("subscription", null, null, true, null, null), DAYS, DAYS);
    assertReads(page("subscription", "many", "TIMEOUT", false, null, null), DAYS, DAYS);
    assertReads(page("subscription", "rare", "TIMEOUT", false, null, null), 0, DAYS);
  }

  @Test
  void searchEndsWhenThePageIsFull() {
    assertReads(page("subscription", "many", null, false, null, null), 50, 100 + FIRST_OF_EACH);
  }

  @Test
  void searchEndsWhenItHasReadEnough() {
    int most = AttemptQuery.READ_AT_MOST;
    // 1,000 attempts of the subscription a day
    assertReads(
        page("subscription", "rare", null, false, null, null), most / 1_000, most + FIRST_OF_EACH);
    assertReads(page("tenant", null, "DELIVERED", false, null, null), 50, 200 + 2 * FIRST_OF_EACH);
  }

  @Test
  void eventReadsItsAttempts() {
    assertReads(page("event", null, null, false, null, null), 10, 10);
  }

  private Supplier<Page<Attempt.Listed>> page(
      String by,
      @Nullable String key,
      @Nullable String verdict,
      boolean failed,
      @Nullable String from,
      @Nullable String to) {
    AttemptFilter filter = filter(by, key, verdict, failed, from, to);
    return () -> attempts.list(filter, PageRequest.of(null, null));
  }

  private static AttemptFilter filter(
      String by,
      @Nullable String key,
      @Nullable String verdict,
      boolean failed,
      @Nullable String from,
      @Nullable String to) {
    return AttemptFilter.of(
        by.equals("subscription") ? null : "acme",
        by.equals("subscription") ? "busy" : null,
        by.equals("event") ? "e1" : null,
        key,
        verdict,
        Boolean.toString(failed),
        from,
        to);
  }

  /** More than once, so that the plan for any values comes to its turn as well. */
  private void assertReads(Supplier<Page<Attempt.Listed>> page, int items, int atMost) {
    for (int time = 1; time <= 10; time++) {
      long before = rowsRead();
      assertThat(page.get().items()).hasSize(items);
      assertThat(rowsRead() - before)
          .as("attempts read, time %d", time)
          .isBetween(1L, (long) atMost);
    }
  }

  /** Through indexes or without. */
  private long rowsRead() {
    jdbc.sql("select pg_stat_force_next_flush()").query().listOfRows();
    return jdbc.sql(
            """
            select (select sum(idx_tup_read) from pg_stat_user_indexes where relname like 'attempt%')
              + (select sum(seq_tup_read) from pg_stat_user_tables where relname like 'attempt%')
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
