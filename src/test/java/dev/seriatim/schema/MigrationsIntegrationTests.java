package dev.seriatim.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seriatim.SeriatimApplication;
import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.scenario.PgBouncer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.flyway.autoconfigure.FlywayProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What a later version does to the tables while others use them, and what may go wrong with it. */
class MigrationsIntegrationTests {

  private static final String LATER =
      "spring.flyway.locations=classpath:db/migration,classpath:later";

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(2));

  @AfterEach
  void drop() {
    database.close();
  }

  /** The last one is an index made concurrently, which waits for every transaction there is. */
  @Test
  void processesThatStartAtOnceMakeEachMigrationOnce() {
    try (TestDatabase empty = TestDatabase.createEmpty()) {
      List<CompletableFuture<Void>> jobs =
          IntStream.range(0, 4).mapToObj(i -> async(() -> migrateHere(empty))).toList();

      jobs.forEach(CompletableFuture::join);

      JdbcClient history = JdbcClient.create(empty.dataSource(1));
      assertThat(
              history
                  .sql("select count(*) from flyway_schema_history where not success")
                  .query(Integer.class)
                  .single())
          .isZero();
      assertThat(
              history
                  .sql("select version from flyway_schema_history order by installed_rank")
                  .query(String.class)
                  .list())
          .doesNotHaveDuplicates()
          .startsWith("1", "2")
          .endsWith("9009", "9010");
    }
  }

  @Test
  void migrationThatGetsNoLockGivesUpAndChangesNothing() throws SQLException {
    try (Connection backup = database.dataSource(1).getConnection()) {
      backup.setAutoCommit(false);
      backup.createStatement().executeQuery("select count(*) from delivery").close();

      CompletableFuture<Void> job = async(() -> later("seriatim.migrations.lock-timeout=200ms"));

      assertThatThrownBy(job::join)
          .hasStackTraceContaining(
              "The migration to version 9006 did not get a lock within PT0.2S"
                  + " (seriatim.migrations.lock-timeout)")
          .hasStackTraceContaining("It changed nothing: start again");

      assertThat(versions()).endsWith("9005");
      assertThat(columns("delivery")).doesNotContain("later");
      backup.rollback();
    }
    later();
    assertThat(columns("delivery")).contains("later");
  }

  /** It waits for whoever is in the middle of something, and nobody waits for it. */
  @Test
  void indexIsMadeBesideWritersAndMadeAgainWhenThatBrokeOff() throws SQLException {
    later("spring.flyway.target=9009");
    try (Connection publishing = database.dataSource(1).getConnection()) {
      publishing.setAutoCommit(false);
      publishing.createStatement().executeUpdate("update event set type = type");
      CompletableFuture<Void> job = async(() -> later("seriatim.migrations.lock-timeout=100ms"));
      awaitIndexing();
      publish("beside");

      jdbc.sql("select pg_cancel_backend(pid) from pg_stat_activity where " + INDEXING)
          .query(row -> {});

      assertThatThrownBy(job::join).hasStackTraceContaining("canceling statement");
      assertThat(indexIsValid()).isFalse();
      assertThat(versions()).as("no trace that somebody would have to repair").endsWith("9009");
      publishing.rollback();
    }

    later();

    assertThat(indexIsValid()).isTrue();
    publish("afterwards");
  }

  private static final JdbcConnectionDetails NO_SERVICE =
      new JdbcConnectionDetails() {
        @Override
        public String getUsername() {
          throw new AssertionError("migrations have a user of their own");
        }

        @Override
        public String getPassword() {
          throw new AssertionError("migrations have a password of their own");
        }

        @Override
        public String getJdbcUrl() {
          throw new AssertionError("migrations have a URL of their own");
        }
      };

  private static final String INDEXING =
      "datname = current_database() and pid <> pg_backend_pid() and query like 'create index concurrently%' and wait_event_type = 'Lock'";

  private void awaitIndexing() {
    Awaitility.await("an index that waits for a transaction")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                jdbc.sql("select count(*) from pg_stat_activity where " + INDEXING)
                        .query(Integer.class)
                        .single()
                    == 1);
  }

  private boolean indexIsValid() {
    return jdbc.sql("select indisvalid from pg_index where indexrelid = 'event_later'::regclass")
        .query(Boolean.class)
        .single();
  }

  private void publish(String id) {
    jdbc.sql(
            """
            insert into event (pk, tenant, id, type, content_type, payload, fingerprint, deliveries)
            values (nextval('queue_id'), 'acme', :id, 'type', 'text/plain', '', '', '[]')
            """)
        .param("id", id)
        .update();
  }

  /** Meant for sessions that were forgotten; one that migrates is idle or at work on purpose. */
  @Test
  void limitsForSessionsDoNotEndALongMigration(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("V9011__slow.sql"), "select pg_sleep(1.5);");
    String name = jdbc.sql("select current_database()").query(String.class).single();
    for (String limit : List.of("idle_in_transaction_session_timeout", "statement_timeout")) {
      jdbc.sql("alter database %s set %s = '500ms'".formatted(name, limit)).update();
    }

    migrate(
        database,
        database.owner(),
        "spring.flyway.locations=classpath:db/migration,filesystem:" + folder);

    assertThat(versions()).endsWith("9011");
  }

  @Test
  void migratesBehindATransactionPooler() {
    try (PgBouncer pooler = PgBouncer.startOrSkip(database)) {
      later(
          "spring.flyway.url=" + pooler.url(),
          "spring.flyway.user=" + database.owner(),
          "spring.flyway.password=" + database.password());
    }
    assertThat(versions()).endsWith("9010");
    assertThat(
            jdbc.sql(
                    "select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())")
                .query(Integer.class)
                .single())
        .as("locks that were left")
        .isZero();
  }

  /** A later version was rolled out, and is rolled back. */
  @Test
  void podStartsOnTablesThatAreNewerThanItKnows() {
    later();

    for (String run : List.of("at-start", "never")) {
      try (TestService service =
          TestService.startOn(database, database.url(), "seriatim.migrations.run=" + run)) {
        assertThat(service.get("/actuator/health").text("/status")).isEqualTo("UP");
      }
    }
    assertThat(versions()).endsWith("9010");
  }

  /** Every database there is remembers the checksums and refuses others. */
  @Test
  void migrationsThatWereMadeSomewhereAreNotEdited() throws IOException {
    List<String> made =
        jdbc.sql(
                "select version || ' ' || checksum from flyway_schema_history order by installed_rank")
            .query(String.class)
            .list();

    assertThat(made)
        .as("a new migration adds its line to migrations.txt; a line that is there never changes")
        .isEqualTo(Files.readAllLines(Path.of("src", "test", "resources", "migrations.txt")));
  }

  private List<String> versions() {
    return jdbc.sql("select version from flyway_schema_history order by installed_rank")
        .query(String.class)
        .list();
  }

  private List<String> columns(String table) {
    return jdbc.sql("select column_name from information_schema.columns where table_name = :table")
        .param("table", table)
        .query(String.class)
        .list();
  }

  private void later(String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add(LATER);
    migrate(database, database.owner(), all.toArray(String[]::new));
  }

  /** As a job does. */
  private static void migrate(TestDatabase database, String user, String... properties) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--seriatim.migrations.run=only",
                "--spring.datasource.url=" + database.url(),
                "--spring.datasource.username=" + user,
                "--spring.datasource.password=" + database.password()));
    for (String property : properties) {
      arguments.add("--" + property);
    }
    new SpringApplicationBuilder(SeriatimApplication.class)
        .run(arguments.toArray(String[]::new))
        .close();
  }

  /** The same without a context, of which several at once in one JVM fight over the log. */
  private static void migrateHere(TestDatabase database) {
    MigrationSettings settings =
        new MigrationSettings(MigrationRun.AT_START, Duration.ofSeconds(2));
    FlywayProperties connection = new FlywayProperties();
    connection.setUrl(database.url());
    connection.setUser(database.username());
    connection.setPassword(database.password());
    OwnConnectionDetails details = new OwnConnectionDetails(connection, NO_SERVICE);
    new Migrations(settings)
        .migrate(
            Flyway.configure()
                .dataSource(details.getJdbcUrl(), details.getUsername(), details.getPassword())
                .locations("classpath:db/migration", "classpath:later")
                .callbacks(new MigrationLocks(settings.lockTimeout()))
                .load());
  }

  private static CompletableFuture<Void> async(Runnable work) {
    return CompletableFuture.runAsync(work, task -> Thread.ofPlatform().start(task))
        .orTimeout(120, TimeUnit.SECONDS);
  }
}
