package dev.seriatim.development;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class EmbeddedDatabaseIntegrationTests {

  @TempDir Path folder;

  @Test
  void keepsItsDataBetweenRuns() {
    try (EmbeddedDatabase first = EmbeddedDatabase.start(folder)) {
      remember(first.url(), 7);
    }
    try (EmbeddedDatabase second = EmbeddedDatabase.start(folder)) {
      assertThat(remembered(second.url())).isEqualTo(7);
    }
  }

  @Test
  void flushesEveryCommitToDisk() {
    try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
      JdbcClient sql = sql(database.url());
      for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
        assertThat(sql.sql("SHOW " + setting).query(String.class).single())
            .as(setting)
            .isEqualTo("on");
      }
    }
  }

  @Test
  void takesOverFromAKilledRunWhoseServerGoesOn() throws Exception {
    Process run = runElsewhere();
    String url = url(run);
    remember(url, 8);
    ProcessHandle server = server();

    run.destroyForcibly().waitFor();
    assertThat(server.isAlive()).isTrue();

    try (EmbeddedDatabase next = EmbeddedDatabase.start(folder)) {
      assertThat(server.isAlive()).isFalse();
      assertThat(remembered(next.url())).isEqualTo(8);
    }
  }

  @Test
  void startsThoughAnotherProcessHasTheNumberOfAServerThatDied() throws IOException {
    EmbeddedDatabase.start(folder).close();
    Files.writeString(
        folder.resolve("postgres/postmaster.pid"), ProcessHandle.current().pid() + "\n");

    try (EmbeddedDatabase next = EmbeddedDatabase.start(folder)) {
      assertThat(sql(next.url()).sql("SELECT 1").query(Integer.class).single()).isEqualTo(1);
    }
  }

  @Test
  void leavesTheServerOfALivingRunAlone() throws Exception {
    Process run = runElsewhere();
    String url = url(run);
    try {
      assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
          .isInstanceOf(MissingDatabaseException.class)
          .hasMessageContaining("in use by another run of Seriatim");
      remember(url, 9);
    } finally {
      // Its input ends: it stops its server and itself.
      run.getOutputStream().close();
      assertThat(run.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void saysWhereToLookWhenTheDataCannotBeUsed() throws IOException {
    Files.createDirectories(folder.resolve("postgres"));
    Files.writeString(folder.resolve("postgres/leftover"), "of an initdb that was killed");

    assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
        .isInstanceOf(MissingDatabaseException.class)
        .hasMessageContaining("postgres.log", "spring.datasource.url", "delete");
    assertThat(folder.resolve("postgres.log")).content().contains("not empty");
  }

  /** What {@link #runElsewhere} runs: a server until the input ends. */
  public static void main(String[] arguments) throws IOException {
    try (EmbeddedDatabase database = EmbeddedDatabase.start(Path.of(arguments[0]))) {
      IO.println("url " + database.url());
      System.in.transferTo(System.out);
    }
  }

  private Process runElsewhere() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            EmbeddedDatabaseIntegrationTests.class.getName(),
            folder.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String url(Process run) throws IOException {
    BufferedReader lines = run.inputReader(UTF_8);
    String line = lines.readLine();
    while (line != null && !line.startsWith("url ")) {
      line = lines.readLine();
    }
    assertThat(line).as("the other process prints its address").isNotNull();
    return line.substring("url ".length());
  }

  private ProcessHandle server() throws IOException {
    String pid = Files.readAllLines(folder.resolve("postgres/postmaster.pid")).getFirst();
    return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
  }

  private static void remember(String url, int number) {
    sql(url).sql("CREATE TABLE memory AS SELECT %d AS number".formatted(number)).update();
  }

  private static int remembered(String url) {
    return sql(url).sql("SELECT number FROM memory").query(Integer.class).single();
  }

  private static JdbcClient sql(String url) {
    return JdbcClient.create(new DriverManagerDataSource(url, EmbeddedDatabase.USER, ""));
  }
}
