package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class AttemptDaysIntegrationTests {

  private static final String ATTEMPT =
      """
      insert into attempt (at, event_pk, subscription_pk, delivery_id, partition, epoch, worker, attempt, verdict,
        duration_ms)
      values (%s, 7, 1, 1, 5, 1, 'pod', 1, 'DELIVERED', 1)""";

  private static final String TODAY =
      "date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC'";

  private TestDatabase database;
  private RetentionPod pod;
  private AttemptDays days;

  @BeforeEach
  void create() {
    database = TestDatabase.create();
    pod = new RetentionPod(database, "a");
    days = new AttemptDays(pod.jdbc, pod.transaction);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void aWeekIsMadeAheadAndAttemptsGoToTheirDays(CapturedOutput log) {
    days.makeAhead();
    days.makeAhead();
    insert("clock_timestamp()");
    insert(TODAY + " + interval '7 days 23:59:59.999999'");

    assertThat(tables()).isEqualTo(8);
    assertThat(pod.count("attempt where event_pk = 7")).isEqualTo(2);
    assertThat(pod.count("attempt_default")).isZero();
    assertThat(log).doesNotContain("attempt_default");
  }

  @Test
  void tableOfADayThatTheDefaultHasRowsOfBeginsBehindThem(CapturedOutput log) {
    insert(TODAY);
    insert(TODAY + " + interval '0.000001 seconds'");
    insert(TODAY + " + interval '3 days 12 hours'");

    days.makeAhead();
    insert(TODAY + " + interval '0.000002 seconds'");
    insert(TODAY + " + interval '3 days 11 hours'");
    insert(TODAY + " + interval '3 days 13 hours'");

    assertThat(tables()).isEqualTo(8);
    assertThat(pod.count("attempt")).isEqualTo(6);
    assertThat(pod.count("attempt_default")).isEqualTo(4);
    assertThat(log).doesNotContain("could not be made");
  }

  /** While it is made, nobody who records or reads attempts may be in its way or wait for it. */
  @Test
  void dayIsMadeWhileOthersRecordAndReadOtherDays() throws SQLException {
    days.makeAhead();
    pod.fixture
        .sql(
            "drop table attempt_%s"
                .formatted(
                    pod.jdbc
                        .sql(
                            "select to_char((%s + interval '7 days') at time zone 'UTC', 'YYYYMMDD')"
                                .formatted(TODAY))
                        .query(String.class)
                        .single()))
        .update();
    try (Connection settling = database.dataSource(1).getConnection()) {
      settling.setAutoCommit(false);
      settling.createStatement().execute(ATTEMPT.formatted("clock_timestamp()"));

      days.makeAhead();

      assertThat(tables()).isEqualTo(8);
      settling.commit();
    }
  }

  /** A backup has the default for hours; others that read the history queue behind who waits. */
  @Test
  void backupIsNotWaitedFor(CapturedOutput log) throws SQLException {
    try (Connection backup = database.dataSource(1).getConnection()) {
      backup.setAutoCommit(false);
      backup.createStatement().executeQuery("select count(*) from attempt").close();

      RetentionPod.async(
              () -> {
                days.makeAhead();
                return 0;
              })
          .join();

      assertThat(tables()).isZero();
      assertThat(log).containsOnlyOnce("is made when a long query or a backup ends");
      backup.rollback();
    }
    days.makeAhead();
    assertThat(tables()).isEqualTo(8);
  }

  @Test
  void podsThatStartAtOnceMakeEachDayOnce(CapturedOutput log) {
    CompletableFuture<?>[] pods = new CompletableFuture<?>[4];
    for (int i = 0; i < pods.length; i++) {
      pods[i] =
          RetentionPod.async(
              () -> {
                new AttemptDays(pod.jdbc, pod.transaction).makeAhead();
                return 0;
              });
    }
    CompletableFuture.allOf(pods).join();

    assertThat(tables()).isEqualTo(8);
    assertThat(log).doesNotContain("attempt_default");
  }

  private long tables() {
    return pod.count("pg_inherits where inhparent = 'attempt'::regclass") - 1;
  }

  private void insert(String at) {
    pod.jdbc.sql(ATTEMPT.formatted(at)).update();
  }
}
