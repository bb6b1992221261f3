package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The session advisory lock by which others see that a pod lives: PostgreSQL frees it when the
 * process dies, because the connection dies with it. The key is random and fresh for each
 * connection, so that a lock that was once free never has to be trusted again.
 *
 * <p>It only makes a crash known sooner. The lease rows remain the truth.
 */
final class OwnerLock {

  private static final String TRY = "select pg_try_advisory_lock(?)";
  private static final String UNLOCK = "select pg_advisory_unlock(?)";

  private OwnerLock() {}

  /**
   * Takes a lock with a fresh key for the rest of the session. Blocks for two round trips.
   *
   * @return the key; empty when a pooler stands between, since the session is then not this
   *     connection's
   */
  static Optional<Long> take(Connection connection, RandomGenerator random) throws SQLException {
    if (OwnConnections.pooled(connection)) {
      return Optional.empty();
    }
    long key = random.nextLong();
    if (!answers(connection, TRY, key)) {
      throw new SQLException("Another session holds the fresh advisory lock " + key);
    }
    return Optional.of(key);
  }

  /**
   * Tries whether advisory locks exclude others and belong to a session. Blocks for some round
   * trips on two connections.
   *
   * @return why a free lock would say nothing here; empty when locks can be relied on
   */
  static Optional<String> obstacle(ConnectionSource connections, RandomGenerator random)
      throws SQLException {
    long key = random.nextLong();
    try (Connection holder = connections.open();
        Connection other = connections.open()) {
      if (OwnConnections.pooled(holder) || OwnConnections.pooled(other)) {
        return Optional.of(
            "a pooler or proxy stands between, so that a session of the database is not a connection of this pod");
      }
      if (!answers(holder, TRY, key) || answers(other, TRY, key)) {
        return Optional.of("this database grants an advisory lock to two sessions at once");
      }
      if (!answers(holder, UNLOCK, key) || !answers(other, TRY, key)) {
        return Optional.of("this database does not know who holds an advisory lock");
      }
      return Optional.empty();
    }
  }

  private static boolean answers(Connection connection, String sql, long key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, key);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }
}
