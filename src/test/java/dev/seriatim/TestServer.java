package dev.seriatim;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * The one PostgreSQL server of this test JVM: a container where a Docker engine answers, the
 * embedded one otherwise. Started by the first test that asks, stopped with the JVM; what a killed
 * JVM left behind is stopped and removed by a later one.
 *
 * @param prefix start of every JDBC URL on this server, up to the database's name
 * @param user a superuser
 * @param password that user's password; the embedded server trusts everybody
 */
record TestServer(String prefix, String user, String password) {

  /** Locale and encoding that every platform has, whatever the environment says. */
  private static final Map<String, String> INITDB =
      Map.of("locale-provider", "builtin", "builtin-locale", "C.UTF-8", "locale", "C");

  /** The server, started at the first call. Thread-safe; blocks for seconds the first time. */
  static TestServer get() {
    return Holder.SERVER;
  }

  String url(String database) {
    return prefix + database;
  }

  private static TestServer start() {
    boolean docker = DockerClientFactory.instance().isDockerAvailable();
    TestServer server = docker ? container() : embedded();
    IO.println(
        "Tests run on "
            + (docker ? "PostgreSQL in a container" : "the embedded PostgreSQL (no Docker engine)")
            + ", "
            + server.prefix());
    return server;
  }

  /**
   * Tests need many connections and throw their data away. Speed instead of durability only where
   * {@code -Dseriatim.test.fsync=off} says so (the build does): a benchmark measures the real cost.
   */
  private static Map<String, String> settings() {
    String durable = System.getProperty("seriatim.test.fsync", "on");
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("max_connections", "400");
    settings.put("fsync", durable);
    settings.put("synchronous_commit", durable);
    settings.put("full_page_writes", durable);
    return settings;
  }

  @SuppressWarnings("resource") // lives as long as the JVM; Testcontainers removes it afterwards
  private static TestServer container() {
    Stream<String> settings =
        settings().entrySet().stream()
            .flatMap(s -> Stream.of("-c", s.getKey() + "=" + s.getValue()));
    PostgreSQLContainer container =
        new PostgreSQLContainer("postgres:18")
            .withCommand(Stream.concat(Stream.of("postgres"), settings).toArray(String[]::new));
    container.start();
    String prefix =
        "jdbc:postgresql://%s:%d/"
            .formatted(
                container.getHost(), container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT));
    return new TestServer(prefix, container.getUsername(), container.getPassword());
  }

  private static TestServer embedded() {
    // In the folder that the next start searches for the servers of dead JVMs.
    Path data =
        Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg", UUID.randomUUID().toString());
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder().setDataDirectory(data).setPGStartupWait(Duration.ofMinutes(1));
    settings().forEach(builder::setServerConfig);
    INITDB.forEach(builder::setLocaleConfig);
    try {
      int port = builder.start().getPort();
      return new TestServer("jdbc:postgresql://localhost:" + port + "/", "postgres", "postgres");
    } catch (IOException e) {
      throw new UncheckedIOException("The embedded PostgreSQL did not start", e);
    }
  }

  private static final class Holder {
    static final TestServer SERVER = start();
  }
}
