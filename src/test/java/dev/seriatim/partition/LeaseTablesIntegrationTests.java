package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The lease tables are written all the time; nothing may pile up in them. */
class LeaseTablesIntegrationTests {

  private static final int PARTITIONS = 64;
  private static final int PODS = 3;
  private static final int RENEWALS_PER_HOUR = 360;
  private static final LeaseSettings SETTINGS =
      new LeaseSettings(
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofMillis(500),
          Duration.ofSeconds(2),
          Duration.ofMillis(1500));

  @Test
  void tablesStayAFewPagesAfterAnHourOfRenewals() throws SQLException {
    try (TestDatabase database = TestDatabase.create();
        Connection connection = database.dataSource().getConnection()) {
      JdbcClient jdbc = JdbcClient.create(database.dataSource());
      jdbc.sql("insert into partition (id) select generate_series(0, 63)").update();
      List<LeaseStore> pods = new ArrayList<>();
      List<WorkerStore> workers = new ArrayList<>();
      List<List<PartitionLease>> leases = new ArrayList<>();
      for (int pod = 0; pod < PODS; pod++) {
        LeaseStore store = new LeaseStore("pod-" + pod, SETTINGS.ttl());
        pods.add(store);
        workers.add(new WorkerStore("pod-" + pod, SETTINGS));
        workers.get(pod).heartbeat(new LeaseSession(connection, 7L + pod), false);
        leases.add(
            store.claim(connection, PARTITIONS / PODS + 1).stream()
                .map(
                    claimed ->
                        new PartitionLease(
                            claimed.partition(), claimed.epoch(), claimed.owner(), () -> 0, 0))
                .toList());
      }

      for (int renewal = 0; renewal < RENEWALS_PER_HOUR; renewal++) {
        for (int pod = 0; pod < PODS; pod++) {
          workers.get(pod).heartbeat(new LeaseSession(connection, 7L + pod), false);
          assertThat(pods.get(pod).renew(connection, leases.get(pod)))
              .hasSize(leases.get(pod).size());
          workers.get(pod).look(connection);
        }
      }

      assertThat(pages(jdbc, "partition")).isLessThanOrEqualTo(12);
      assertThat(pages(jdbc, "worker")).isLessThanOrEqualTo(4);
      assertThat(pages(jdbc, "partition_pkey")).isLessThanOrEqualTo(4);
      assertThat(pages(jdbc, "worker_pkey")).isLessThanOrEqualTo(4);
    }
  }

  private static long pages(JdbcClient jdbc, String relation) {
    long pages =
        jdbc.sql("select pg_relation_size(:relation::regclass) / 8192")
            .param("relation", relation)
            .query(Long.class)
            .single();
    IO.println(relation + " has " + pages + " pages after an hour of renewals");
    return pages;
  }
}
