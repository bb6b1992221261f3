package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seriatim.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class TopologyStoreIntegrationTests {

  /** Case W13: migration included. */
  @Test
  void podsThatStartAtOnceOnAnEmptyDatabaseAgreeOnOneTopology() {
    try (TestDatabase database = TestDatabase.createEmpty()) {
      int pods = 8;
      CountDownLatch start = new CountDownLatch(pods);
      List<CompletableFuture<Integer>> counts =
          IntStream.range(0, pods)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () -> {
                            DataSource dataSource = database.dataSource(2);
                            meet(start);
                            Flyway.configure().dataSource(dataSource).load().migrate();
                            return store(dataSource)
                                .establish(new PartitionSettings(i % 2 == 0 ? 16 : null))
                                .count();
                          },
                          task -> Thread.ofPlatform().start(task)))
              .toList();

      // Without the setting a pod takes what there is; with it, only what is set. So whoever is
      // first decides, and if that was a pod without it, those with another number refuse.
      List<Object> outcomes = counts.stream().map(TopologyStoreIntegrationTests::outcome).toList();
      JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
      int stored = jdbc.sql("select partition_count from topology").query(Integer.class).single();
      assertThat(stored).isIn(16, 64);
      for (int i = 0; i < pods; i++) {
        if (i % 2 == 0 && stored == 64) {
          assertThat(outcomes.get(i)).isInstanceOf(TopologyMismatchException.class);
        } else {
          assertThat(outcomes.get(i)).isEqualTo(stored);
        }
      }
      assertThat(jdbc.sql("select id from partition order by id").query(Integer.class).list())
          .isEqualTo(IntStream.range(0, stored).boxed().toList());
    }
  }

  /** Case W13. */
  @Test
  void equalPodsAllStart() {
    try (TestDatabase database = TestDatabase.create()) {
      int pods = 8;
      CountDownLatch start = new CountDownLatch(pods);
      DataSource dataSource = database.dataSource();
      List<CompletableFuture<Integer>> counts =
          IntStream.range(0, pods)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () -> {
                            meet(start);
                            return store(dataSource).establish(new PartitionSettings(16)).count();
                          },
                          task -> Thread.ofVirtual().start(task)))
              .toList();

      assertThat(counts.stream().map(CompletableFuture::join)).containsOnly(16).hasSize(pods);
      JdbcClient jdbc = JdbcClient.create(dataSource);
      assertThat(jdbc.sql("select count(*) from topology").query(Long.class).single()).isOne();
      assertThat(jdbc.sql("select count(*) from partition").query(Long.class).single())
          .isEqualTo(16);
    }
  }

  @Test
  void mismatchRefusesAndNamesBothNumbers() {
    try (TestDatabase database = TestDatabase.create()) {
      DataSource dataSource = database.dataSource(1);
      assertThat(store(dataSource).establish(new PartitionSettings(null)).count()).isEqualTo(64);

      assertThatThrownBy(() -> store(dataSource).establish(new PartitionSettings(16)))
          .isInstanceOf(TopologyMismatchException.class)
          .hasMessage(
              "seriatim.partitions.count is 16, but this database has 64 partitions:"
                  + " remove the setting or set it to 64");
      assertThat(store(dataSource).establish(new PartitionSettings(64)).count()).isEqualTo(64);
      assertThat(
              JdbcClient.create(dataSource)
                  .sql("select count(*) from partition")
                  .query(Long.class)
                  .single())
          .isEqualTo(64);
    }
  }

  @Test
  void anotherHashRefuses() {
    try (TestDatabase database = TestDatabase.create()) {
      DataSource dataSource = database.dataSource(1);
      JdbcClient.create(dataSource)
          .sql("insert into topology (partition_count, hash) values (64, 'crc32')")
          .update();

      assertThatThrownBy(() -> store(dataSource).establish(new PartitionSettings(null)))
          .isInstanceOf(TopologyMismatchException.class)
          .hasMessageContaining("crc32")
          .hasMessageContaining("blake2b-8");
    }
  }

  private static Object outcome(CompletableFuture<Integer> count) {
    return count.handle((value, failure) -> failure == null ? value : failure.getCause()).join();
  }

  private static TopologyStore store(DataSource dataSource) {
    return new TopologyStore(
        JdbcClient.create(dataSource),
        new TransactionTemplate(new JdbcTransactionManager(dataSource)));
  }

  private static void meet(CountDownLatch start) {
    start.countDown();
    try {
      assertThat(start.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
