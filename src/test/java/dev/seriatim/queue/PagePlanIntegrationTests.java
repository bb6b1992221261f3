package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What a page costs does not depend on what the planner knows of the table. */
class PagePlanIntegrationTests {

  private static final int ROWS = 20_000;
  private static final int PAGE = 500;

  @Test
  void readsEachRowOfATableWithoutStatisticsOnce() throws IOException {
    try (TestDatabase database = TestDatabase.create()) {
      JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
      jdbc.sql(connectionInitSql()).update();
      jdbc.sql(
              """
              insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
              select 0, n, 1, n, 1, 1 from generate_series(1, :rows) n
              """)
          .param("rows", ROWS)
          .update();

      PartitionLease lease =
          new PartitionLease(0, 1, UUID.randomUUID(), System::nanoTime, Long.MAX_VALUE);
      PartitionCursor cursor =
          new PartitionCursor(
              new PartitionLog(jdbc, System::nanoTime), lease, System::nanoTime, PAGE);
      int read = 0;
      int page;
      do {
        page = cursor.forward().size();
        read += page;
      } while (page == PAGE);

      assertThat(read).isEqualTo(ROWS);
      assertThat(indexEntriesRead(jdbc)).isLessThan(2 * ROWS);
    }
  }

  /** As the service sets its connections up. */
  private static String connectionInitSql() throws IOException {
    return (String)
        new YamlPropertySourceLoader()
            .load("application", new ClassPathResource("application.yml"))
            .getFirst()
            .getProperty("spring.datasource.hikari.connection-init-sql");
  }

  private static long indexEntriesRead(JdbcClient jdbc) {
    jdbc.sql("select pg_stat_force_next_flush()").query().listOfRows();
    return jdbc.sql(
            "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'delivery_pkey'")
        .query(Long.class)
        .single();
  }
}
