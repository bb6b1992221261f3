package dev.seriatim.queue;

import dev.seriatim.partition.PartitionLease;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What lets a statement on one partition write only as long as its lease is the partition's. {@link
 * SettleWriter} has its own for a batch of several leases.
 */
final class Fence {

  /**
   * The beginning of a statement: {@code fence} has a row if the partition is still the writer's.
   * The key lock waits for a claim that is under way and then sees its epoch; a claim skips the row
   * while the statement runs. Renewals do not conflict with it.
   */
  static final String SQL =
      """
      with fence as materialized (
        select p.id from partition p where p.id = :partition and p.epoch = :epoch for key share
      ),
      """;

  private Fence() {}

  /**
   * @param sql begins with {@link #SQL}
   */
  static JdbcClient.StatementSpec statement(JdbcClient jdbc, String sql, PartitionLease lease) {
    return jdbc.sql(sql).param("partition", lease.partition()).param("epoch", lease.epoch());
  }

  /**
   * Runs it.
   *
   * @param statement ends with {@code select id from fence}
   */
  static Settler.Outcome outcome(JdbcClient.StatementSpec statement) {
    return statement.query(Integer.class).optional().isPresent()
        ? Settler.Outcome.SETTLED
        : Settler.Outcome.FENCED;
  }
}
