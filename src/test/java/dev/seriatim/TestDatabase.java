package dev.seriatim;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * A database of a test's own on a real PostgreSQL, dropped when closed. Databases are independent:
 * tests need not clean up and may run beside each other. Creating one takes some 50 ms.
 *
 * <p>Thread-safe. The user is a superuser.
 */
public final class TestDatabase implements AutoCloseable {

  private static final int DEFAULT_POOL_SIZE = 8;
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final TestServer server = TestServer.get();
  private final String name;
  private final Queue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

  private TestDatabase(String name) {
    this.name = name;
  }

  /** A database with the current schema and no rows but those that the migrations write. */
  public static TestDatabase create() {
    return create(Template.NAME);
  }

  /** A database without any table, as a service finds it at its very first start. */
  public static TestDatabase createEmpty() {
    return create("template0");
  }

  /** A database as an earlier version left it. */
  static TestDatabase createAtVersion(String version) {
    TestDatabase database = createEmpty();
    migrate(database.name, version);
    return database;
  }

  private static TestDatabase create(String template) {
    TestDatabase database = new TestDatabase("test_" + COUNT.incrementAndGet());
    administer("CREATE DATABASE " + database.name + " TEMPLATE " + template);
    return database;
  }

  /** JDBC URL, without user and password. */
  public String url() {
    return server.url(name);
  }

  public String username() {
    return server.user();
  }

  public String password() {
    return server.password();
  }

  /** A new pool of at most 8 connections, opened as needed; closed with this database. */
  public DataSource dataSource() {
    return dataSource(DEFAULT_POOL_SIZE);
  }

  /**
   * A new pool of its own; closed with this database.
   *
   * @param connections at most this many, opened as needed; the server has 400 for the whole JVM
   */
  public DataSource dataSource(int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url());
    config.setUsername(username());
    config.setPassword(password());
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  /** Closes the pools and drops the database, whoever is still connected to it. */
  @Override
  public void close() {
    pools.forEach(HikariDataSource::close);
    administer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
  }

  private static void administer(String sql) {
    TestServer server = TestServer.get();
    try (Connection connection =
            DriverManager.getConnection(server.url("postgres"), server.user(), server.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("Failed: " + sql, e);
    }
  }

  private static void migrate(String name, String target) {
    TestServer server = TestServer.get();
    Flyway.configure()
        .dataSource(server.url(name), server.user(), server.password())
        .target(target)
        .load()
        .migrate();
  }

  /** Migrated once per JVM; copying it is far cheaper than migrating every test's database. */
  private static final class Template {
    static final String NAME = migrated("template_seriatim");

    private static String migrated(String name) {
      administer("CREATE DATABASE " + name + " TEMPLATE template0");
      migrate(name, "latest");
      return name;
    }
  }
}
