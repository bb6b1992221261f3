package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class OwnerLockIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
  private final Random random = new Random(3);

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void postgresqlItselfCanBeReliedOn() throws SQLException {
    assertThat(OwnerLock.obstacle(connections("").as("test"), random)).isEmpty();
  }

  @Test
  void lockBelongsToTheSessionAndItsKeyIsFresh() throws SQLException {
    long key;
    try (Connection first = connections("").as("test").open();
        Connection second = connections("").as("test").open()) {
      key = OwnerLock.take(first, random).orElseThrow();
      assertThat(OwnerLock.take(second, random)).isPresent().get().isNotEqualTo(key);
      assertThat(locks()).isEqualTo(2);
    }
    org.awaitility.Awaitility.await().until(() -> locks() == 0);
  }

  /** As on an engine that has the function but not the lock. */
  @Test
  void databaseThatGrantsALockTwiceIsFoundOut() throws SQLException {
    jdbc.sql("create schema fake").update();
    jdbc.sql(
            "create function fake.pg_try_advisory_lock(bigint) returns boolean language sql as 'select true'")
        .update();

    assertThat(OwnerLock.obstacle(fake().as("test"), random))
        .hasValue("this database grants an advisory lock to two sessions at once");
  }

  @Test
  void databaseThatForgetsTheHolderIsFoundOut() throws SQLException {
    jdbc.sql("create schema fake").update();
    jdbc.sql(
            "create function fake.pg_advisory_unlock(bigint) returns boolean language sql as 'select false'")
        .update();

    assertThat(OwnerLock.obstacle(fake().as("test"), random))
        .hasValue("this database does not know who holds an advisory lock");
  }

  /** Case W6: limits for forgotten sessions are not for one that waits on purpose. */
  @Test
  void ownSessionsHaveTheirOwnTimeLimits() throws SQLException {
    jdbc.sql("alter database " + name() + " set idle_session_timeout = '2s'").update();
    jdbc.sql("alter database " + name() + " set idle_in_transaction_session_timeout = '2s'")
        .update();

    try (Connection connection = connections("").as("test").open()) {
      assertThat(show(connection, "idle_session_timeout")).isEqualTo("0");
      assertThat(show(connection, "idle_in_transaction_session_timeout")).isEqualTo("0");
      assertThat(show(connection, "tcp_keepalives_idle")).isEqualTo("5");
      assertThat(show(connection, "tcp_user_timeout")).isIn("11000", "11s");
      assertThat(show(connection, "application_name")).isEqualTo("seriatim-test");
    }
  }

  /** The URL is the pool's as well, and what suits that may be too slow here. */
  @Test
  void timeLimitsOfTheUrlDoNotHoldForOwnSessions() throws SQLException {
    String parameters = database.url().contains("?") ? "&" : "?";
    try (Connection connection =
        connections(parameters + "socketTimeout=60&ApplicationName=mine").as("test").open()) {
      assertThat(connection.getNetworkTimeout()).isEqualTo(5000);
      assertThat(show(connection, "application_name")).isEqualTo("seriatim-test");
    }
  }

  private OwnConnections connections(String query) {
    return new OwnConnections(database.url() + query, database.username(), database.password());
  }

  /** Functions of the schema "fake" hide the database's own. */
  private OwnConnections fake() {
    return connections("?options=-c%20search_path=fake,pg_catalog");
  }

  private String name() {
    return jdbc.sql("select current_database()").query(String.class).single();
  }

  private long locks() {
    return jdbc.sql(
            "select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())")
        .query(Long.class)
        .single();
  }

  private static String show(Connection connection, String setting) throws SQLException {
    try (var row = connection.createStatement().executeQuery("show " + setting)) {
      row.next();
      return row.getString(1);
    }
  }
}
