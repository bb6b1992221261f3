package dev.seriatim.development;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A real PostgreSQL whose data outlives it, for development on one machine. Every setting that
 * guards data against a crash is on. Only the machine itself can connect, with no password asked.
 *
 * <p>If this process is killed, the server goes on alone; the next start stops it first.
 */
final class EmbeddedDatabase implements AutoCloseable {

  static final String USER = "postgres";

  private static final Duration START_LIMIT = Duration.ofMinutes(1);

  /** What the library turns off by itself, and what a machine's environment could spoil. */
  private static final Map<String, String> SETTINGS =
      Map.of("fsync", "on", "synchronous_commit", "on");

  private static final Map<String, String> INITDB =
      Map.of("locale-provider", "builtin", "builtin-locale", "C.UTF-8", "locale", "C");

  private final EmbeddedPostgres server;

  private EmbeddedDatabase(EmbeddedPostgres server) {
    this.server = server;
  }

  /**
   * Starts the server, creating its data at the first time. Blocks for seconds.
   *
   * @param folder holds the data and the server's log; used by one process at a time
   * @throws MissingDatabaseException when it does not start, with the reason
   */
  static EmbeddedDatabase start(Path folder) {
    Path data = folder.resolve("postgres").toAbsolutePath();
    Path log = folder.resolve("postgres.log").toAbsolutePath();
    try {
      Files.createDirectories(folder);
      StaleServer.stop(data);
      return new EmbeddedDatabase(builder(data, log).start());
    } catch (IOException | RuntimeException e) {
      if (e instanceof MissingDatabaseException explained) {
        throw explained;
      }
      throw new MissingDatabaseException(
          ("The embedded PostgreSQL did not start; %s says why. Either set spring.datasource.url to"
                  + " a database of your own, or delete %s and all data in it to begin anew.")
              .formatted(log, data),
          e);
    }
  }

  private static EmbeddedPostgres.Builder builder(Path data, Path log) {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(data)
            .setCleanDataDirectory(false)
            // The application decides when: after everything that uses it.
            .setRegisterShutdownHook(false)
            .setPGStartupWait(START_LIMIT)
            .setOutputRedirector(Redirect.appendTo(log.toFile()));
    SETTINGS.forEach(builder::setServerConfig);
    INITDB.forEach(builder::setLocaleConfig);
    return builder;
  }

  /** JDBC URL; {@link #USER} needs no password. */
  String url() {
    return "jdbc:postgresql://localhost:" + server.getPort() + "/postgres";
  }

  /** Stops the server within seconds, cutting off whoever is still connected. Idempotent. */
  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException("The embedded PostgreSQL did not stop", e);
    }
  }
}
