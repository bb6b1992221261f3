package dev.seriatim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class TestDatabaseIntegrationTests {

  @Test
  void newDatabaseHasTheSchemaAndNoEvents() {
    try (TestDatabase database = TestDatabase.create()) {
      assertThat(count(database.dataSource(), "SELECT count(*) FROM event")).isZero();
      assertThat(count(database.dataSource(), "SELECT count(*) FROM flyway_schema_history"))
          .isPositive();
    }
  }

  @Test
  void emptyDatabaseHasNoTable() {
    try (TestDatabase database = TestDatabase.createEmpty()) {
      assertThat(
              count(
                  database.dataSource(),
                  "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"))
          .isZero();
    }
  }

  @Test
  void databasesAreIndependent() {
    try (TestDatabase one = TestDatabase.create();
        TestDatabase other = TestDatabase.create()) {
      JdbcClient.create(one.dataSource()).sql("CREATE TABLE mine (id int)").update();

      assertThat(
              count(
                  other.dataSource(),
                  "SELECT count(*) FROM information_schema.tables WHERE table_name = 'mine'"))
          .isZero();
    }
  }

  @Test
  void serverIsRecentAndHasRoomForSeveralPods() {
    try (TestDatabase database = TestDatabase.createEmpty()) {
      DataSource source = database.dataSource(1);
      assertThat(count(source, "SELECT current_setting('server_version_num')::int"))
          .isGreaterThanOrEqualTo(180_000);
      assertThat(count(source, "SELECT current_setting('max_connections')::int"))
          .isGreaterThanOrEqualTo(300);
      assertThat(text(source, "SHOW fsync"))
          .isEqualTo(System.getProperty("seriatim.test.fsync", "on"));
    }
  }

  @Test
  void closedDatabaseIsGoneThoughSomebodyIsConnected() throws SQLException {
    TestDatabase database = TestDatabase.create();
    try (Connection _ = connect(database)) {
      database.close();

      assertThatThrownBy(() -> connect(database)).hasMessageContaining("does not exist");
    }
  }

  private static Connection connect(TestDatabase database) throws SQLException {
    return DriverManager.getConnection(database.url(), database.username(), database.password());
  }

  private static int count(DataSource source, String sql) {
    return JdbcClient.create(source).sql(sql).query(Integer.class).single();
  }

  private static String text(DataSource source, String sql) {
    return JdbcClient.create(source).sql(sql).query(String.class).single();
  }
}
