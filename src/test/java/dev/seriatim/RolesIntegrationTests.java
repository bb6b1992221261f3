package dev.seriatim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * roles.sql: the owner migrates by a job, the service needs no right to change a table. That all of
 * the service works so is shown by every test that starts one on {@link TestDatabase#create}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RolesIntegrationTests {

  private static final String DAYS =
      "select count(*) from pg_inherits where inhparent = 'attempt'::regclass";

  private static TestDatabase database;
  private static JdbcClient owner;
  private static JdbcClient application;

  @BeforeAll
  static void migrateAsAJob() {
    database = TestDatabase.createWithRoles();
    new SpringApplicationBuilder(SeriatimApplication.class)
        .run(
            "--seriatim.migrations.run=only",
            "--spring.datasource.url=" + database.url(),
            "--spring.datasource.username=" + database.owner(),
            "--spring.datasource.password=" + database.password())
        .close();
    TestDatabase.setRoles(database);
    owner = JdbcClient.create(database.dataSource(1));
    application = JdbcClient.create(database.serviceDataSource(1));
  }

  @AfterAll
  static void drop() {
    database.close();
  }

  @Test
  void serviceMakesTheDaysOfItsHistoryWithoutTheRightTo() {
    try (TestService service =
        TestService.startOn(database, database.url(), "seriatim.migrations.run=never")) {
      assertThat(service.get("/actuator/health").text("/status")).isEqualTo("UP");
      assertThat(owner.sql(DAYS).query(Integer.class).single()).isEqualTo(9);
      assertThat(
              owner
                  .sql("select distinct tableowner from pg_tables where schemaname = 'public'")
                  .query(String.class)
                  .list())
          .containsExactly(database.owner());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create table mine (id int)",
        "create function mine() returns int language sql return 1",
        "alter table delivery add column mine int",
        "create index mine on delivery (attempts)",
        "drop table attempt_default",
        "truncate delivery",
        "delete from flyway_schema_history",
        "create schema mine",
        "set role seriatim_owner",
        // What the two functions do for it, and no more.
        "select make_attempt_day(current_date + 40)",
        "select make_attempt_day('2020-01-01')",
        "select drop_attempt_day('delivery')",
        "select drop_attempt_day('attempt_default')",
        "select drop_attempt_day('attempt_20200101; drop table delivery')"
      })
  void serviceMustNot(String statement) {
    assertThatThrownBy(() -> application.sql(statement).query(row -> {}))
        .rootCause()
        .hasMessageMatching(
            "(?s).*(permission denied|must be owner|is not near enough|is no day of the history).*");
  }

  /** Temporary tables are anybody's; the owner's rights must not be used on them. */
  @Test
  void functionsOfTheOwnerAreNotLedAstrayByTemporaryTables() {
    JdbcClient session = JdbcClient.create(database.serviceDataSource(1));
    session.sql("create temporary table attempt (at timestamptz) partition by range (at)").update();
    session.sql("create temporary table attempt_default (at timestamptz)").update();

    session.sql("select make_attempt_day(current_date + 20)").query(row -> {});

    String day = "'attempt_' || to_char(current_date + 20, 'YYYYMMDD')";
    assertThat(
            owner
                .sql(
                    "select count(*) from pg_inherits where inhparent = 'public.attempt'::regclass and inhrelid = to_regclass(%s)"
                        .formatted(day))
                .query(Integer.class)
                .single())
        .isOne();
    session.sql("select drop_attempt_day(%s)".formatted(day)).query(row -> {});
    assertThat(
            owner
                .sql("select to_regclass(%s) is null".formatted(day))
                .query(Boolean.class)
                .single())
        .isTrue();
  }

  @Test
  void serviceThatWouldHaveToMigrateSaysWhoMust(CapturedOutput log) {
    try (TestDatabase older = TestDatabase.createWithRoles()) {
      TestDatabase.migrate(older, older.owner(), "9");

      assertThatThrownBy(() -> TestService.startOn(older, older.url()));

      assertThat(log.getOut())
          .contains(
              "This database's user must not make the migration to version 10: ERROR: permission denied for schema public")
          .contains("seriatim.migrations.run=only");
      // The owner's credentials for migrations alone, the pod's own for all else.
      TestService.startOn(
              older,
              older.url(),
              "spring.flyway.user=" + older.owner(),
              "spring.flyway.password=" + older.password())
          .close();
    }
  }

  /** Among them those that hold back vacuum: backups, reports, forgotten sessions. */
  @Test
  void serviceSeesTheTransactionsOfOthers() {
    JdbcClient other = JdbcClient.create(database.dataSource(1));
    assertThat(other.sql("select 1").query(Integer.class).single()).isOne();

    assertThat(
            application
                .sql(
                    "select count(*) from pg_stat_activity where datname = current_database() and usename <> current_user and query_start is not null")
                .query(Integer.class)
                .single())
        .isPositive();
  }
}
