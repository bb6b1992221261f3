package dev.seriatim.scenario;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL of a test's own that can be stopped and restarted: its port and its data stay. It
 * listens on every loopback address, so that each pod can reach it by an address of its own. Holds
 * one empty database with an owner who is no superuser.
 */
final class PostgresServer implements AutoCloseable {

  /** How it goes down. */
  enum Stop {
    /** Sessions are cut off, data is written out. */
    FAST,
    /** As in a crash: everything is dropped, and the log is replayed at the next start. */
    IMMEDIATE
  }

  static final String USER = "seriatim";
  static final String DATABASE = "seriatim";

  private static final Map<String, String> INITDB =
      Map.of("locale-provider", "builtin", "builtin-locale", "C.UTF-8", "locale", "C");

  private final Path folder = Files.createTempDirectory("seriatim-postgres");
  private final Path data = folder.resolve("data");
  private final Path output = folder.resolve("output.log");
  private final EmbeddedPostgres server;
  private final List<String> control = new ArrayList<>();

  private PostgresServer() throws IOException {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(data)
            .setPort(freePort())
            .setCleanDataDirectory(false)
            .setPGStartupWait(Duration.ofMinutes(1))
            .setOutputRedirector(Redirect.appendTo(output.toFile()))
            .setServerConfig("listen_addresses", "0.0.0.0")
            .setServerConfig("max_connections", "300")
            // A commit must outlive the server's processes; that it outlives the machine's memory,
            // which would need fsync, no test here can tell.
            .setServerConfig("synchronous_commit", "on");
    INITDB.forEach(builder::setLocaleConfig);
    server = builder.start();
    if (LinuxUtils.isUnshareAvailable()) {
      // PostgreSQL refuses to run as root.
      control.addAll(List.of("unshare", "-U"));
    }
    Path program = Path.of(postmaster().info().command().orElseThrow()).resolveSibling("pg_ctl");
    control.addAll(List.of(program.toString(), "-D", data.toString(), "-w", "-t", "60"));
    JdbcClient jdbc = jdbc("postgres");
    jdbc.sql("create role " + USER + " login").update();
    jdbc.sql("create database " + DATABASE + " owner " + USER).update();
  }

  /** Blocks until it answers, a few seconds. */
  static PostgresServer start() {
    try {
      return new PostgresServer();
    } catch (IOException e) {
      throw new UncheckedIOException("PostgreSQL did not start", e);
    }
  }

  int port() {
    return server.getPort();
  }

  /**
   * JDBC URL of the database, for {@link #USER} and any password.
   *
   * @param address one of this machine's loopback addresses
   */
  String url(String address) {
    return "jdbc:postgresql://%s:%d/%s".formatted(address, port(), DATABASE);
  }

  /** As a superuser, with a new connection for every statement, which outlives any restart. */
  JdbcClient jdbc() {
    return jdbc(DATABASE);
  }

  private JdbcClient jdbc(String database) {
    return JdbcClient.create(dataSource(database));
  }

  private DriverManagerDataSource dataSource(String database) {
    return new DriverManagerDataSource(
        "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port(), database), "postgres", "");
  }

  /** Nobody else writes to the table until it is closed; who tries waits. */
  Connection lock(String table) {
    try {
      Connection connection = dataSource(DATABASE).getConnection();
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("lock table " + table + " in exclusive mode");
      }
      return connection;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sets something for all sessions of the pods that begin from now on. */
  void alterRole(String setting) {
    jdbc().sql("alter role " + USER + " set " + setting).update();
  }

  /** Takes back all that {@link #alterRole} has set. */
  void resetRole() {
    jdbc().sql("alter role " + USER + " reset all").update();
  }

  /** Blocks until it is down. */
  void stop(Stop how) {
    control("-m", how.name().toLowerCase(Locale.ROOT), "stop");
  }

  /** Blocks until it answers again, after {@link #stop}. */
  void startAgain() {
    // Unlike "start" this takes the options of the time before.
    control("restart");
  }

  /** Blocks until it answers again. */
  void restart(Stop how) {
    control("-m", how.name().toLowerCase(Locale.ROOT), "restart");
  }

  private void control(String... arguments) {
    List<String> command = new ArrayList<>(control);
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.appendTo(output.toFile()))
              .start();
      if (!process.waitFor(90, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException(command + " failed:\n" + Files.readString(output));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private ProcessHandle postmaster() throws IOException {
    long pid =
        Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip());
    return ProcessHandle.of(pid).orElseThrow();
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return free.getLocalPort();
    }
  }

  @Override
  public void close() {
    try {
      if (!Files.exists(data.resolve("postmaster.pid"))) {
        startAgain();
      }
      server.close();
      FileSystemUtils.deleteRecursively(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
