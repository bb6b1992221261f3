package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seriatim.TestDatabase;
import dev.seriatim.operations.RetentionMeters.What;
import dev.seriatim.operations.RetentionStep.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class AttemptRetentionIntegrationTests {

  /** Longer than it takes to see that somebody waits. */
  private static final Duration PATIENT = Duration.ofSeconds(5);

  private TestDatabase database;
  private RetentionPod pod;
  private LocalDate today;

  @BeforeEach
  void create() {
    database = TestDatabase.create();
    pod = new RetentionPod(database, "a");
    today =
        pod.jdbc
            .sql("select (clock_timestamp() at time zone 'UTC')::date")
            .query(LocalDate.class)
            .single();
    new AttemptDays(pod.jdbc, pod.transaction).makeAhead();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void dayGoesWhenAllOfItIsOlderOneAStep() {
    for (int ago : List.of(33, 32, 31, 30, 1)) {
      day(today.minusDays(ago));
      attempt("timestamptz '" + today.minusDays(ago) + " 12:00Z'");
    }

    assertThat(pod.attempts.step()).isEqualTo(Outcome.MORE);
    assertThat(pod.count("attempt")).isEqualTo(4);
    assertThat(pod.workOff(pod.attempts)).isEqualTo(3);

    // Thirty days ago has not ended thirty days ago, unless it is exactly midnight.
    assertThat(days()).contains(name(today.minusDays(30)), name(today.minusDays(1)), name(today));
    assertThat(days()).doesNotContain(name(today.minusDays(31)));
    assertThat(pod.count("attempt")).isEqualTo(2);
    assertThat(pod.count("pg_class where relname like 'attempt_2%' and relkind = 'r'"))
        .isEqualTo(days().size());
    assertThat(pod.deleted(What.ATTEMPT_DAYS)).isEqualTo(3);
  }

  @Test
  void tablesWithOtherNamesAreLeftAlone() {
    LocalDate day = today.minusDays(50);
    day(day);
    pod.fixture.sql("alter table " + name(day) + " rename to attempt_audit").update();
    pod.fixture.sql("create table attempt_20200101 (kept integer)").update();

    assertThat(pod.workOff(pod.attempts)).isOne();

    assertThat(days()).contains("attempt_audit");
    assertThat(pod.count("pg_class where relname = 'attempt_20200101'")).isOne();
  }

  @Test
  void whatIsInNoDaysTableGoesByAgeInBoundedSteps() {
    pod.jdbc
        .sql(
            """
            insert into attempt (at, event_pk, subscription_pk, delivery_id, partition, epoch, worker, attempt, verdict,
              duration_ms)
            select clock_timestamp() - interval '40 days' + n * interval '1 second', n, 1, n, 5, 1, 'pod', 1, 'DELIVERED', 1
            from generate_series(1, 2500) n""")
        .update();
    attempt("clock_timestamp() - interval '29 days'");
    assertThat(pod.count("attempt_default")).isEqualTo(2501);

    assertThat(pod.attempts.step()).isEqualTo(Outcome.MORE);
    assertThat(pod.count("attempt_default")).isEqualTo(1501);
    assertThat(pod.count("attempt_default where event_pk <= 1000 and event_pk > 0")).isZero();
    assertThat(pod.attempts.step()).isEqualTo(Outcome.MORE);
    assertThat(pod.attempts.step()).isEqualTo(Outcome.DONE);

    assertThat(pod.count("attempt_default")).isOne();
    assertThat(pod.deleted(What.ATTEMPTS)).isEqualTo(2500);
    assertThat(pod.attempts.step()).isEqualTo(Outcome.NOT_NOW);
  }

  /** A backup reads the history for hours; verdicts are recorded all the same, and soon. */
  @Test
  void verdictsAreRecordedWhileADayCannotBeDropped() throws SQLException {
    day(today.minusDays(50));
    RetentionPod patient =
        new RetentionPod(database, "patient", RetentionSettingsTests.settings(30, 30, 90), PATIENT);
    try (Connection backup = reading("attempt")) {
      CompletableFuture<Outcome> step = RetentionPod.async(patient.attempts::step);
      pod.awaitBlocked(1);
      CompletableFuture<Integer> verdict = RetentionPod.async(() -> attempt("clock_timestamp()"));
      pod.awaitBlocked(2);

      // Behind the one that waits, until that gives up.
      assertThatThrownBy(step::join).rootCause().hasMessageContaining("lock timeout");
      assertThat(verdict.join()).isOne();
      backup.rollback();
    }
    assertThat(patient.workOff(patient.attempts)).isEqualTo(2);
    assertThat(days()).doesNotContain(name(today.minusDays(50)));
    assertThat(pod.count("attempt")).isOne();
  }

  /** With the lock on the whole history in hand, there is no waiting for anything else. */
  @Test
  void dayThatIsReadByItsOwnNameIsNotWaitedFor() throws SQLException {
    String day = name(today.minusDays(50));
    day(today.minusDays(50));
    RetentionPod patient =
        new RetentionPod(
            database, "patient", RetentionSettingsTests.settings(30, 30, 90), Duration.ofDays(1));
    try (Connection reader = reading(day)) {
      assertThatThrownBy(() -> RetentionPod.async(patient.attempts::step).join())
          .rootCause()
          .hasMessageContaining("could not obtain lock on relation \"" + day + "\"");
      reader.rollback();
    }
  }

  /** One line, then silence; events go on meanwhile, and the day when it can. */
  @Test
  void whatIsInTheWayIsSaidOnceAndTriedAgain(CapturedOutput log) throws SQLException {
    day(today.minusDays(50));
    try (Connection backup = reading("attempt")) {
      assertThat(pod.retention.round()).isEqualTo(Duration.ofMinutes(1));
      assertThat(
              pod.count(
                  "retention where kind = 'ATTEMPTS' and worker is null and due_at > clock_timestamp() + interval '30 seconds'"))
          .isOne();
      assertThat(pod.attempts.step()).isEqualTo(Outcome.NOT_NOW);
      pod.dueNow();
      assertThat(pod.retention.round()).isEqualTo(Duration.ofMinutes(1));
      backup.rollback();
    }
    pod.dueNow();

    assertThat(pod.retention.round()).isEqualTo(RetentionTurns.REST);

    assertThat(log.getOut())
        .containsOnlyOnce("Retention of attempts waits for a long query or a backup to end")
        .containsOnlyOnce("Retention of attempts works again");
    assertThat(days()).doesNotContain(name(today.minusDays(50)));
    assertThat(pod.registry.get("seriatim.retention.failures").counter().count()).isEqualTo(2);
  }

  private Connection reading(String table) throws SQLException {
    Connection connection = database.dataSource(1).getConnection();
    connection.setAutoCommit(false);
    connection.createStatement().executeQuery("select count(*) from " + table).close();
    return connection;
  }

  private void day(LocalDate day) {
    pod.fixture
        .sql(
            "create table %s partition of attempt for values from ('%s 00:00Z') to ('%s 00:00Z')"
                .formatted(name(day), day, day.plusDays(1)))
        .update();
    // The same owner as if it had been made in time.
    pod.fixture.sql("alter table %s owner to %s".formatted(name(day), database.owner())).update();
  }

  private static String name(LocalDate day) {
    return "attempt_"
        + day.atStartOfDay(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyyMMdd"));
  }

  private List<String> days() {
    return pod
        .jdbc
        .sql(
            "select inhrelid::regclass::text from pg_inherits where inhparent = 'attempt'::regclass")
        .query(String.class)
        .list()
        .stream()
        .filter(table -> !table.equals("attempt_default"))
        .toList();
  }

  private int attempt(String at) {
    return pod.jdbc
        .sql(
            """
            insert into attempt (at, event_pk, subscription_pk, delivery_id, partition, epoch, worker, attempt, verdict,
              duration_ms)
            values (%s, 0, 1, 1, 5, 1, 'pod', 1, 'DELIVERED', 1)"""
                .formatted(at))
        .update();
  }
}
