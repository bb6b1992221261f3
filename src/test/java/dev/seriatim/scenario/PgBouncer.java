package dev.seriatim.scenario;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.seriatim.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.util.FileSystemUtils;

/**
 * A PgBouncer of the test's own in transaction mode, on a free loopback port, in front of one
 * database. Two server connections at most, so that clients do share them. Whoever connects is the
 * database's user.
 */
public final class PgBouncer implements AutoCloseable {

  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

  /** It refuses to run as root and changes to this user then. */
  private static final String NOBODY = "nobody";

  // Of what the driver asks for at the start of a session, only this is unknown to it.
  private static final String CONFIGURATION =
      """
      [databases]
      %s = host=%s port=%d user=%s password=%s
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = %d
      unix_socket_dir =
      auth_type = any
      pool_mode = transaction
      default_pool_size = 2
      max_client_conn = 500
      ignore_startup_parameters = extra_float_digits
      """;

  private final String username;
  private final String password;
  private final Path folder;
  private final String url;
  private final Process process;

  private PgBouncer(String database, String username, String password) throws IOException {
    this.username = username;
    this.password = password;
    URI target = URI.create(database.substring("jdbc:".length()));
    String name = target.getPath().substring(1);
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      port = free.getLocalPort();
    }
    folder = Files.createTempDirectory("seriatim-pgbouncer");
    Path configuration =
        Files.writeString(
            folder.resolve("pgbouncer.ini"),
            CONFIGURATION.formatted(
                name, target.getHost(), target.getPort(), username, password, port));
    // Behind a pooler of this age the driver must not name its prepared statements.
    url = "jdbc:postgresql://127.0.0.1:%d/%s?prepareThreshold=0".formatted(port, name);
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("-u", NOBODY));
    }
    command.add(configuration.toString());
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.log").toFile())
            .start();
  }

  /**
   * Blocks until it answers.
   *
   * @throws org.opentest4j.TestAbortedException when PgBouncer is not installed: the test is
   *     skipped and says so
   */
  public static PgBouncer startOrSkip(TestDatabase database) {
    return startOrSkip(database.url(), database.username(), database.password());
  }

  /**
   * The same for any database.
   *
   * @param database its JDBC URL
   */
  static PgBouncer startOrSkip(String database, String username, String password) {
    assumeTrue(
        Files.isExecutable(PROGRAM),
        "PgBouncer is not installed here (" + PROGRAM + "): what happens behind it is not tested");
    try {
      PgBouncer started = new PgBouncer(database, username, password);
      started.awaitAnswer();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** JDBC URL of the database by way of the pooler, to be used with the database's user. */
  public String url() {
    return url;
  }

  private void awaitAnswer() throws IOException {
    for (int tries = 0; !answers(); tries++) {
      if (!process.isAlive() || tries == 1000) {
        String output = Files.readString(folder.resolve("output.log"));
        close();
        throw new IllegalStateException("PgBouncer did not start: " + output);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private boolean answers() {
    try {
      DriverManager.getConnection(url, username, password).close();
      return true;
    } catch (SQLException notYet) {
      return false;
    }
  }

  /** Tears its connections on both sides, as when it is restarted. */
  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor();
      FileSystemUtils.deleteRecursively(folder);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
