package dev.seriatim;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * A database of a test's own on a real PostgreSQL, dropped when closed. Databases are independent:
 * tests need not clean up and may run beside each other. Creating one takes some 50 ms.
 *
 * <p>Thread-safe. Tests themselves are superusers. The tables belong to another user and services
 * started on them have a third, without the right to change them: as in roles.sql.
 */
public final class TestDatabase implements AutoCloseable {

  private static final int DEFAULT_POOL_SIZE = 8;
  private static final String OWNER = "seriatim_owner";
  private static final String APPLICATION = "seriatim_app";
  private static final Path ROLES = Path.of("src", "docs", "roles.sql");
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final TestServer server = TestServer.get();
  private final String name;
  private final String service;
  private final Queue<HikariDataSource> pools = new ConcurrentLinkedQueue<>();

  private TestDatabase(String name, String service) {
    this.name = name;
    this.service = service;
  }

  /** A database with the current schema and no rows but those that the migrations write. */
  public static TestDatabase create() {
    return create(Template.NAME, APPLICATION);
  }

  /**
   * A database without any table, as a service finds it at its very first start; its user makes
   * them.
   */
  public static TestDatabase createEmpty() {
    return create("template0", TestServer.get().user());
  }

  /** A database as an earlier version left it; the service's user migrates it. */
  public static TestDatabase createAtVersion(String version) {
    TestDatabase database = createEmpty();
    migrate(database.name, database.service, version);
    return database;
  }

  /** As roles.sql says; it may be done again. */
  static void setRoles(TestDatabase database) {
    setRoles(database.name);
  }

  /** Without a table, but with the users of roles.sql and what it lets them do. */
  public static TestDatabase createWithRoles() {
    TestDatabase database = create("template0", APPLICATION);
    setRoles(database.name);
    return database;
  }

  private static TestDatabase create(String template, String service) {
    TestDatabase database = new TestDatabase("test_" + COUNT.incrementAndGet(), service);
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

  /** Whose the tables are, where they are not the service's. With the same password. */
  public String owner() {
    return OWNER;
  }

  /** What services use. With the same password. */
  public String serviceUser() {
    return service;
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
    return pool(username(), connections);
  }

  /** The same with the rights that a service has. */
  public DataSource serviceDataSource(int connections) {
    return pool(serviceUser(), connections);
  }

  private DataSource pool(String user, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url());
    config.setUsername(user);
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
    administer("postgres", sql);
  }

  private static void administer(String database, String sql) {
    TestServer server = TestServer.get();
    try (Connection connection =
            DriverManager.getConnection(server.url(database), server.user(), server.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("Failed: " + sql, e);
    }
  }

  /** As an operator would, then passwords. */
  private static void setRoles(String database) {
    try {
      administer(database, Files.readString(ROLES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (String user : List.of(OWNER, APPLICATION)) {
      administer("alter role %s password '%s'".formatted(user, TestServer.get().password()));
    }
  }

  /** By this user, up to this version. */
  static void migrate(TestDatabase database, String user, String target) {
    migrate(database.name, user, target);
  }

  private static void migrate(String database, String user, String target) {
    TestServer server = TestServer.get();
    Flyway.configure()
        .dataSource(server.url(database), user, server.password())
        .target(target)
        .load()
        .migrate();
  }

  /** Migrated once per JVM; copying it is far cheaper than migrating every test's database. */
  private static final class Template {
    static final String NAME = migrated("template_seriatim");

    private static String migrated(String name) {
      administer("CREATE DATABASE " + name + " TEMPLATE template0");
      setRoles(name);
      migrate(name, OWNER, "latest");
      return name;
    }
  }
}
