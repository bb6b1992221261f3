package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** That the tests' PgBouncer is the kind of pooler that scenarios are about. */
class PgBouncerIntegrationTests {

  @Test
  void sessionsShareConnectionsBetweenTransactions() throws SQLException {
    try (TestDatabase database = TestDatabase.create();
        PgBouncer pooler = PgBouncer.startOrSkip(database)) {
      try (Connection one = open(database, pooler);
          Connection other = open(database, pooler)) {
        assertThat(backend(one)).isEqualTo(backend(other));

        one.setAutoCommit(false);

        assertThat(backend(one)).isNotEqualTo(backend(other));
      }
    }
  }

  private static Connection open(TestDatabase database, PgBouncer pooler) throws SQLException {
    return DriverManager.getConnection(pooler.url(), database.username(), database.password());
  }

  private static int backend(Connection connection) throws SQLException {
    try (ResultSet row = connection.createStatement().executeQuery("select pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
