package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.operations.RetentionMeters.What;
import dev.seriatim.operations.RetentionStep.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventRetentionIntegrationTests {

  private TestDatabase database;
  private RetentionPod pod;
  private Fixture rows;
  private long subscription;

  @BeforeEach
  void create() {
    database = TestDatabase.create();
    pod = new RetentionPod(database, "a");
    rows = new Fixture(pod.jdbc);
    subscription = rows.subscription("orders", "acme", "ENABLED");
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void settledEventGoesWhenItIsOld() {
    event("old", 31);
    event("young", 29);

    assertThat(pod.events.step()).isEqualTo(Outcome.DONE);

    assertThat(events()).containsExactly("young");
    assertThat(pod.deleted(What.EVENTS)).isOne();
    assertThat(pod.events.step()).isEqualTo(Outcome.NOT_NOW);
  }

  /** O9: whatever holds it, and wherever it was moved to since the event was published. */
  @Test
  void queuedDeliveryKeepsItsEventHoweverOld() {
    long disabled = rows.subscription("disabled", "acme", "DISABLED");
    long lane = rows.lane("acme", disabled, "k");
    for (int sequence = 1; sequence <= 3; sequence++) {
      rows.queued(
          event("held" + sequence, 4000),
          rows.nextDelivery(),
          disabled,
          lane,
          (long) sequence,
          0,
          null);
    }
    long failingLane = rows.lane("acme", subscription, "k");
    rows.queued(
        event("failing", 4000), rows.nextDelivery(), subscription, failingLane, 1L, 7, "9 hours");
    rows.queued(event("replayed", 4000), rows.nextDelivery(), subscription, null, null, 0, null);
    pod.jdbc
        .sql(
            """
            update delivery set enqueued_at = enqueued_at - interval '4000 days',
              first_attempt_at = case when attempts > 0 then enqueued_at - interval '3999 days' end""")
        .update();
    pod.jdbc
        .sql("update delivery set partition = 9, tx = pg_current_xact_id() where lane_id is null")
        .update();
    pod.jdbc.sql("update lane set last_sequence = 3").update();
    event("settled", 4000);
    List<String> queue = queue();
    List<String> lanes = lanes();

    pod.workOff(pod.events);
    pod.workOff(pod.attempts);

    assertThat(events()).containsExactly("failing", "held1", "held2", "held3", "replayed");
    assertThat(pod.count("event where octet_length(payload) > 0")).isEqualTo(5);
    assertThat(queue()).hasSize(5).isEqualTo(queue);
    assertThat(lanes()).hasSize(2).isEqualTo(lanes);
    // Released by whoever may: only then it goes, with the next look from the start.
    pod.jdbc.sql("delete from delivery where attempts = 7").update();
    pod.workOff(pod.events);
    assertThat(events()).containsExactly("held1", "held2", "held3", "replayed");
    assertThat(lanes()).isEqualTo(lanes);
  }

  @Test
  void deadLettersGoTogetherWithTheirEventWhenAllAreOld() {
    letter(event("both-old", 100), 91);
    letter(event("letter-young", 100), 89);
    long mixed = event("one-young", 200);
    letter(mixed, 199);
    letter(mixed, 89);
    long queued = event("queued", 200);
    letter(queued, 199);
    rows.queued(queued, rows.nextDelivery(), subscription, null, null, 0, null);

    pod.workOff(pod.events);

    assertThat(events()).containsExactly("letter-young", "one-young", "queued");
    assertThat(pod.count("dead_letter")).isEqualTo(4);
    assertThat(pod.deleted(What.DEAD_LETTERS)).isOne();
  }

  @Test
  void deadLettersThatAreKeptForEverKeepTheirEvents() {
    RetentionPod keeping =
        new RetentionPod(
            database, "b", RetentionSettingsTests.settings(30, 30, 0), LockTimeout.SHORT);
    letter(event("dead", 5000), 4999);
    event("delivered", 5000);

    keeping.workOff(keeping.events);

    assertThat(events()).containsExactly("dead");
    assertThat(pod.count("dead_letter")).isOne();
  }

  @Test
  void stepLooksAtABoundedNumberOfEventsWhetherTheyGoOrStay() {
    eventsOfDays(2500, 100);
    // The oldest thousand are held.
    pod.jdbc
        .sql(
            """
            insert into delivery (partition, id, event_pk, subscription_pk)
            select 5, pk, pk, 1 from event order by published_at, pk limit 1000""")
        .update();

    assertThat(pod.events.step()).isEqualTo(Outcome.MORE);
    assertThat(pod.count("event")).isEqualTo(2500);
    assertThat(pod.events.step()).isEqualTo(Outcome.MORE);
    assertThat(pod.count("event")).isEqualTo(1500);
    assertThat(pod.events.step()).isEqualTo(Outcome.DONE);
    assertThat(pod.count("event")).isEqualTo(1000);

    // What was kept is not looked at again until hours later.
    pod.jdbc.sql("delete from delivery").update();
    pod.jdbc.sql("update retention set due_at = '-infinity'").update();
    assertThat(pod.events.step()).isEqualTo(Outcome.DONE);
    assertThat(pod.count("event")).isEqualTo(1000);
    assertThat(pod.workOff(pod.events)).isEqualTo(2);
    assertThat(pod.count("event")).isZero();
  }

  @Test
  void stepDeletesABoundedAmountOfPayload() {
    for (int number = 0; number < 5; number++) {
      rows.event("acme", "big" + number, "[]", new byte[6_000_000]);
    }
    pod.jdbc.sql("update event set published_at = published_at - interval '40 days'").update();

    assertThat(pod.events.step()).isEqualTo(Outcome.MORE);
    assertThat(pod.count("event")).isEqualTo(3);
    assertThat(pod.events.step()).isEqualTo(Outcome.MORE);
    assertThat(pod.events.step()).isEqualTo(Outcome.DONE);
    assertThat(pod.count("event")).isZero();
  }

  @Test
  void twoPodsAtOnceDoTheWorkOnce() throws SQLException {
    eventsOfDays(999, 100);
    letter(event("dead", 200), 199);
    RetentionPod other = new RetentionPod(database, "b");
    try (Connection operator = database.dataSource(1).getConnection()) {
      operator.setAutoCommit(false);
      operator.createStatement().execute("select from dead_letter for update");
      CompletableFuture<Outcome> step = RetentionPod.async(pod.events::step);
      pod.awaitBlocked(1);

      // In the middle of a step
      assertThat(RetentionPod.async(other.events::step).join()).isEqualTo(Outcome.NOT_NOW);

      operator.rollback();
      assertThat(step.join()).isEqualTo(Outcome.MORE);
    }
    // and between two steps of a round.
    assertThat(other.events.step()).isEqualTo(Outcome.NOT_NOW);
    assertThat(pod.events.step()).isEqualTo(Outcome.DONE);
    assertThat(other.events.step()).isEqualTo(Outcome.NOT_NOW);
    assertThat(pod.count("event")).isZero();
    assertThat(pod.deleted(What.EVENTS)).isEqualTo(1000);
    assertThat(other.deleted(What.EVENTS)).isZero();
  }

  @Test
  void anotherPodGoesOnWithTheRoundOfOneThatIsGone() {
    eventsOfDays(1500, 100);
    RetentionPod other = new RetentionPod(database, "b");
    assertThat(pod.events.step()).isEqualTo(Outcome.MORE);
    assertThat(other.events.step()).isEqualTo(Outcome.NOT_NOW);

    pod.jdbc.sql("update retention set due_at = due_at - interval '2 minutes'").update();

    assertThat(other.events.step()).isEqualTo(Outcome.DONE);
    assertThat(other.deleted(What.EVENTS)).isEqualTo(500);
  }

  /** The database's clock was a year ahead when the last round ended. */
  @Test
  void dueTimeFarAheadIsNoReasonToWait() {
    event("old", 31);
    pod.jdbc
        .sql(
            """
            update retention set due_at = clock_timestamp() + interval '1 year',
              from_start_at = clock_timestamp() + interval '1 year', position_at = 'infinity'""")
        .update();

    assertThat(pod.events.step()).isEqualTo(Outcome.DONE);

    assertThat(events()).isEmpty();
  }

  /** An operator replays the dead letter just while it is about to go. */
  @Test
  void replayOfADeadLetterKeepsTheEvent() throws SQLException {
    long event = event("dead", 200);
    letter(event, 199);
    try (Connection replay = database.dataSource(1).getConnection()) {
      replay.setAutoCommit(false);
      replay.createStatement().execute("delete from dead_letter");
      queue(replay, event);
      CompletableFuture<Outcome> step = RetentionPod.async(pod.events::step);
      pod.awaitBlocked(1);
      replay.commit();

      assertThat(step.join()).isEqualTo(Outcome.DONE);
    }
    assertThat(events()).containsExactly("dead");
  }

  /** An operator has a delivered event sent again, just while it is about to go. */
  @Test
  void redeliveryKeepsTheEvent() throws SQLException {
    long event = event("delivered", 200);
    event("other", 200);
    try (Connection redelivery = database.dataSource(1).getConnection()) {
      redelivery.setAutoCommit(false);
      redelivery
          .createStatement()
          .execute("select from event where id = 'delivered' for key share");
      queue(redelivery, event);

      CompletableFuture<Outcome> step = RetentionPod.async(pod.events::step);
      pod.awaitDoneOrBlocked(step);
      redelivery.commit();

      assertThat(step.join()).isEqualTo(Outcome.DONE);
    }
    assertThat(events()).containsExactly("delivered");
  }

  /** What a pod without anything to do costs: one statement for each kind, in ten minutes. */
  @Test
  void idleRoundIsFewStatements() {
    pod.dueNow();
    assertThat(pod.retention.round()).isEqualTo(RetentionTurns.REST);
    long before = transactions();

    assertThat(pod.retention.round()).isEqualTo(RetentionTurns.REST);

    assertThat(transactions() - before).isLessThanOrEqualTo(2 + 2);
  }

  /** Looking is two of them. */
  private long transactions() {
    pod.jdbc.sql("select pg_stat_force_next_flush()").query(row -> {});
    return pod.jdbc
        .sql(
            "select xact_commit + xact_rollback from pg_stat_database where datname = current_database()")
        .query(Long.class)
        .single();
  }

  private static void queue(Connection connection, long event) throws SQLException {
    connection
        .createStatement()
        .execute(
            "insert into delivery (partition, id, event_pk, subscription_pk) values (5, 1, %d, 1)"
                .formatted(event));
  }

  private long event(String id, int daysAgo) {
    long pk = rows.event("acme", id, "[]");
    pod.jdbc
        .sql(
            "update event set published_at = published_at - :days * interval '1 day' where pk = :pk")
        .param("days", daysAgo)
        .param("pk", pk)
        .update();
    return pk;
  }

  private void eventsOfDays(int count, int daysAgo) {
    pod.jdbc
        .sql(
            """
            insert into event (pk, tenant, id, type, content_type, payload, fingerprint, deliveries, published_at)
            select nextval('queue_id'), 'acme', 'e' || n, 'order.paid', 'text/plain', 'x', '', '[]',
              -- many at the very same time, as a batch may be
              statement_timestamp() - :days * interval '1 day' + (n / 700) * interval '1 second'
            from generate_series(1, :count) n""")
        .param("days", daysAgo)
        .param("count", count)
        .update();
  }

  private void letter(long event, int daysAgo) {
    long id =
        rows.deadLetter(
            "acme", event, rows.nextDelivery(), subscription, null, null, "TOO_OLD", "now");
    pod.jdbc
        .sql(
            "update dead_letter set ejected_at = ejected_at - :days * interval '1 day' where id = :id")
        .param("days", daysAgo)
        .param("id", id)
        .update();
  }

  private List<String> events() {
    return pod.jdbc.sql("select id from event order by id").query(String.class).list();
  }

  private List<String> queue() {
    return pod.jdbc
        .sql("select delivery::text from delivery order by id")
        .query(String.class)
        .list();
  }

  private List<String> lanes() {
    return pod.jdbc.sql("select lane::text from lane order by id").query(String.class).list();
  }
}
