package dev.seriatim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What an operator reads when the service does not start. */
@ExtendWith(OutputCaptureExtension.class)
class RefusedStartIntegrationTests {

  private static TestDatabase database;

  @BeforeAll
  static void createDatabase() {
    database = TestDatabase.create();
  }

  @AfterAll
  static void dropDatabase() {
    database.close();
  }

  @Test
  void anotherNumberOfPartitionsIsOneSentence(CapturedOutput log) {
    TestService.startOn(database, database.url()).close();

    assertThatThrownBy(
        () -> TestService.startOn(database, database.url(), "seriatim.partitions.count=16"));

    assertThat(analysis(log))
        .startsWith(
            "seriatim.partitions.count is 16, but this database has 64 partitions:"
                + " remove the setting or set it to 64");
  }

  @Test
  void tablesThatAreOlderThanNeededAreOneSentenceForWhoMustNotMigrate(CapturedOutput log) {
    try (TestDatabase older = TestDatabase.createAtVersion("9")) {
      assertThatThrownBy(
          () -> TestService.startOn(older, older.url(), "seriatim.migrations.run=never"));
      assertThat(analysis(log))
          .startsWith(
              "The tables of this database are at version 9, this version of Seriatim needs ")
          .contains("and seriatim.migrations.run=never leaves that to others: have them migrated");
      TestService.startOn(older, older.url()).close();
      TestService.startOn(older, older.url(), "seriatim.migrations.run=never").close();
    }
  }

  @Test
  void databaseWithoutTablesIsOneSentenceForWhoMustNotMigrate(CapturedOutput log) {
    try (TestDatabase empty = TestDatabase.createEmpty()) {
      assertThatThrownBy(
          () -> TestService.startOn(empty, empty.url(), "seriatim.migrations.run=never"));
      assertThat(analysis(log)).startsWith("The tables of this database are at version 0, ");
      assertThat(
              JdbcClient.create(empty.dataSource(1))
                  .sql("select count(*) from pg_tables where schemaname = 'public'")
                  .query(Integer.class)
                  .single())
          .as("not even the history of migrations was made")
          .isZero();
    }
  }

  @Test
  void leaseShorterThanASendIsOneSentence(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.startOn(
                database,
                database.url(),
                "seriatim.lease.ttl=24s",
                "seriatim.lease.renew-every=8s"));

    assertThat(analysis(log))
        .startsWith(
            "seriatim.lease.ttl (PT24S) less seriatim.lease.renew-every (PT8S) and"
                + " seriatim.lease.margin (PT2S) leaves PT14S, which must be longer than"
                + " seriatim.delivery.max-timeout (PT15S)");
  }

  @Test
  void graceShorterThanAStopIsOneSentence(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.startOn(
                database,
                database.url(),
                "seriatim.shutdown.grace-period=30s",
                "seriatim.shutdown.pre-stop=5s"));

    assertThat(analysis(log))
        .startsWith(
            "seriatim.shutdown.grace-period (PT30S) must be at least PT35S:"
                + " seriatim.shutdown.pre-stop (PT5S),"
                + " spring.lifecycle.timeout-per-shutdown-phase (PT5S) for requests that come in,"
                + " seriatim.shutdown.drain (PT20S)");
  }

  @Test
  void poolThatIsTooSmallIsOneSentence(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.startOn(
                database, database.url(), "spring.datasource.hikari.maximum-pool-size=1"));

    assertThat(analysis(log))
        .startsWith("spring.datasource.hikari.maximum-pool-size (1) must be at least 2");
  }

  @Test
  void sweepThatIsTooSlowForTheTakeoverGraceIsOneSentence(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.startOn(
                database,
                database.url(),
                "seriatim.lease.sweep-every=1s",
                "seriatim.lease.takeover-grace=2s"));

    assertThat(analysis(log))
        .contains(
            "seriatim.lease.sweep-every (PT1S) must be at most a third of"
                + " seriatim.lease.takeover-grace (PT2S)");
  }

  @Test
  void databaseThatIsNotThereIsOneSentenceWithoutThePassword(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.startOn(
                database, "jdbc:postgresql://127.0.0.1:1/seriatim?password=hunter2"));

    assertThat(analysis(log))
        .startsWith(
            "Cannot reach the database at spring.datasource.url"
                + " jdbc:postgresql://127.0.0.1:1/seriatim: Connection to 127.0.0.1:1 refused")
        .contains("SPRING_DATASOURCE_URL");
    assertThat(log).doesNotContain("hunter2");
  }

  @Test
  void unknownDatabaseIsOneSentence(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.startOn(
                database, database.url().replaceFirst("(//[^/]+/)[^?]*", "$1nowhere")));

    assertThat(analysis(log))
        .startsWith("No such database: spring.datasource.url")
        .contains("\"nowhere\"");
  }

  @Test
  void refusedLoginIsOneSentence(CapturedOutput log) {
    assertThatThrownBy(
        () ->
            TestService.startOn(
                database, database.url(), "spring.datasource.hikari.username=nobody"));

    assertThat(analysis(log))
        .startsWith("No login to the database at spring.datasource.url")
        .contains("spring.datasource.username");
  }

  /** What the start ends with; Spring's heading has gone. */
  private static String analysis(CapturedOutput log) {
    String all = log.getOut();
    assertThat(all)
        .contains("APPLICATION FAILED TO START")
        .doesNotContain("\tat ", "Error creating bean");
    return all.substring(all.lastIndexOf("Description:") + "Description:".length()).strip();
  }
}
