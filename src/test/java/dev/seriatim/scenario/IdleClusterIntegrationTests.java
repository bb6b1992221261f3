package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class IdleClusterIntegrationTests {

  private static final Duration WATCHED = Duration.ofSeconds(12);

  /** Whatever an idle pod does is a transaction of its own, so transactions count statements. */
  @Test
  void threeIdlePodsRunFewerThanThirtyStatementsASecond() {
    try (TestDatabase database = TestDatabase.create();
        TestService first = idle(database);
        TestService second = idle(database);
        TestService third = idle(database)) {
      JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
      Patience.until(
          "three even shares",
          () ->
              jdbc.sql(
                          "select count(*) from (select worker from partition where owner is not null group by worker having count(*) >= 21) even")
                      .query(Integer.class)
                      .single()
                  == 3);
      Patience.until(
          "the pools have all their connections",
          () ->
              jdbc.sql(
                          "select count(*) from pg_stat_activity where datname = current_database() and backend_type = 'client backend'")
                      .query(Integer.class)
                      .single()
                  == 3 * (10 + 2) + 1);
      pass("what the start took is counted, which the server does within ten seconds");
      Sample before = sample(jdbc);
      pass("the idle pods are counted for as long");
      Sample after = sample(jdbc);

      double perSecond =
          (after.transactions() - before.transactions()) / (after.seconds() - before.seconds());
      IO.println("Three idle pods: %.1f statements/s".formatted(perSecond));
      assertThat(perSecond).isBetween(3.0, 30.0);
    }
  }

  private static void pass(String what) {
    long start = System.nanoTime();
    Patience.until(what, () -> System.nanoTime() - start > WATCHED.toNanos());
  }

  private static TestService idle(TestDatabase database) {
    return TestService.startOn(database, database.url());
  }

  private record Sample(double seconds, long transactions) {}

  private static Sample sample(JdbcClient jdbc) {
    return jdbc.sql(
            "select extract(epoch from clock_timestamp()) as seconds, xact_commit + xact_rollback as transactions"
                + " from pg_stat_database where datname = current_database()")
        .query(Sample.class)
        .single();
  }
}
