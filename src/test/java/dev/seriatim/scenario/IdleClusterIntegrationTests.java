package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class IdleClusterIntegrationTests {

  private static final Duration WATCHED = Duration.ofSeconds(10);

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
      Sample before = sample(jdbc);
      long start = System.nanoTime();
      Patience.until(WATCHED + " have passed", () -> System.nanoTime() - start > WATCHED.toNanos());
      Sample after = sample(jdbc);

      double perSecond =
          (after.transactions() - before.transactions()) / (after.seconds() - before.seconds());
      IO.println("Three idle pods: %.1f statements/s".formatted(perSecond));
      assertThat(perSecond).isBetween(3.0, 30.0);
    }
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
