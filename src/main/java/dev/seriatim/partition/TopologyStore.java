package dev.seriatim.partition;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Writes the topology once and reads it ever after. Safe with any number of pods starting at the
 * same instant.
 */
@Component
class TopologyStore {

  private static final String INSERT_TOPOLOGY =
      """
      insert into topology (partition_count, hash) values (:count, :hash)
      on conflict (singleton) do nothing
      """;

  private static final String SELECT_TOPOLOGY = "select partition_count, hash from topology";

  private static final String INSERT_PARTITIONS =
      """
      insert into partition (id) select generate_series(0, :count - 1)
      on conflict (id) do nothing
      """;

  private final JdbcClient jdbc;
  private final TransactionOperations transaction;

  TopologyStore(JdbcClient jdbc, TransactionOperations transaction) {
    this.jdbc = jdbc;
    this.transaction = transaction;
  }

  /**
   * The partitioner of this database.
   *
   * @throws TopologyMismatchException when the configuration or this version's hash disagrees with
   *     the database
   */
  Partitioner establish(PartitionSettings settings) {
    Integer configured = settings.count();
    int wanted = configured == null ? PartitionSettings.DEFAULT_COUNT : configured;
    return transaction.execute(
        status -> {
          jdbc.sql(INSERT_TOPOLOGY).param("count", wanted).param("hash", Partitioner.HASH).update();
          Stored stored = jdbc.sql(SELECT_TOPOLOGY).query(Stored.class).single();
          if (!stored.hash().equals(Partitioner.HASH)) {
            throw new TopologyMismatchException(
                "This database was made with the hash %s, this version of Seriatim uses %s"
                    .formatted(stored.hash(), Partitioner.HASH));
          }
          if (configured != null && configured != stored.partitionCount()) {
            throw new TopologyMismatchException(
                "seriatim.partitions.count is %d, but this database has %d partitions: remove the setting or set it to %d"
                    .formatted(configured, stored.partitionCount(), stored.partitionCount()));
          }
          jdbc.sql(INSERT_PARTITIONS).param("count", stored.partitionCount()).update();
          return new Partitioner(stored.partitionCount());
        });
  }

  record Stored(int partitionCount, String hash) {}
}
