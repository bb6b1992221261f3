package dev.seriatim.operations;

import dev.seriatim.operations.RetentionTurns.Position;
import dev.seriatim.operations.RetentionTurns.Turn;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Deletes events that are old, each together with its dead letters, oldest first: those of which
 * nothing is queued and no dead letter is young. So no delivery ever loses its payload, however
 * long it is held, and no event outlives its dead letters, which would make it look delivered.
 *
 * <p>Queued deliveries and lanes are never touched: a delivery leaves the queue by being settled
 * alone, and a lane that were forgotten would count from 1 again.
 *
 * <p>Concurrency: an event is deleted under its row lock and those of its dead letters, after a
 * look at the queue that began when it had them. So whoever queues a delivery of an event that
 * exists already must first lock, in the same transaction, the event (FOR KEY SHARE is enough) or a
 * dead letter of it that it removes; then either the event stays or it is not found. Publishing
 * needs neither: its events are new.
 */
final class EventRetention implements RetentionStep {

  /** Looked at in one step. */
  static final int ROWS = 1000;

  /** Payloads deleted in one step; a single larger one goes alone. */
  private static final long BYTES = 16L * 1024 * 1024;

  /** How long to wait for an operator who is at a dead letter. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  // A retention of "for ever" is null, and so is the comparison with it: then no dead letter is
  // old.
  private static final String IS_FREE =
      """
      not exists (select from delivery d where d.event_pk = e.pk)
      and not exists (
        select from dead_letter l
        where l.event_pk = e.pk
          and coalesce(l.ejected_at >= statement_timestamp() - :deadLetters::bigint * interval '1 second', true))
      """;

  // statement_timestamp() and not clock_timestamp(): the scan ends at the first young one.
  private static final String LOOK =
      """
      select e.pk, e.published_at, octet_length(e.payload) as bytes, %s as free
      from event e
      where (e.published_at, e.pk) > (:at, :pk)
        and e.published_at < statement_timestamp() - :events * interval '1 second'
      order by e.published_at, e.pk
      limit :rows
      """
          .formatted(IS_FREE);

  // skip locked   somebody queues it again just now.
  private static final String LOCK_EVENTS =
      "select pk from event where pk = any (:pks::bigint[]) order by pk for update skip locked";

  private static final String LOCK_DEAD_LETTERS =
      "select id from dead_letter where event_pk = any (:pks::bigint[]) order by id for update";

  private static final String DELETE =
      """
      with gone as (
        delete from event e where e.pk = any (:pks::bigint[]) and %s
        returning e.pk
      ), letters as (
        delete from dead_letter l using gone where l.event_pk = gone.pk
        returning l.id
      )
      select (select count(*) from gone) as events, (select count(*) from letters) as dead_letters
      """
          .formatted(IS_FREE);

  private final JdbcClient jdbc;
  private final TransactionOperations transaction;
  private final RetentionTurns turns;
  private final RetentionMeters meters;
  private final Duration events;
  private final @Nullable Long deadLetterSeconds;
  private final Duration patience;

  EventRetention(
      JdbcClient jdbc,
      TransactionOperations transaction,
      RetentionTurns turns,
      RetentionMeters meters,
      RetentionSettings settings,
      Duration patience) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.turns = turns;
    this.meters = meters;
    this.patience = patience;
    this.events = settings.events();
    this.deadLetterSeconds =
        settings.deadLetters().isZero() ? null : settings.deadLetters().toSeconds();
  }

  @Override
  public Kind kind() {
    return Kind.EVENTS;
  }

  @Override
  public Outcome step() {
    Step step = transaction.execute(status -> delete());
    meters.deleted(RetentionMeters.What.EVENTS, step.deleted().events());
    meters.deleted(RetentionMeters.What.DEAD_LETTERS, step.deleted().deadLetters());
    return step.outcome();
  }

  private record Deleted(long events, long deadLetters) {
    static final Deleted NOTHING = new Deleted(0, 0);
  }

  private record Step(Deleted deleted, Outcome outcome) {}

  private record Old(Position position, long bytes, boolean free) {}

  private Step delete() {
    Optional<Turn> turn = turns.take(kind());
    if (turn.isEmpty()) {
      return new Step(Deleted.NOTHING, Outcome.NOT_NOW);
    }
    List<Old> page = look(turn.get().position());
    List<Old> fit = thatFit(page);
    Deleted deleted = delete(fit.stream().filter(Old::free).map(old -> old.position().pk()));
    turns.move(
        kind(), turn.get(), fit.isEmpty() ? turn.get().position() : fit.getLast().position());
    if (page.size() < ROWS && fit.size() == page.size()) {
      turns.done(kind());
      return new Step(deleted, Outcome.DONE);
    }
    turns.more(kind());
    return new Step(deleted, Outcome.MORE);
  }

  private List<Old> look(Position after) {
    return jdbc.sql(LOOK)
        .param("at", after.at())
        .param("pk", after.pk())
        .param("events", events.toSeconds())
        .param("deadLetters", deadLetterSeconds)
        .param("rows", ROWS)
        .query(
            (row, number) ->
                new Old(
                    new Position(
                        row.getObject("published_at", OffsetDateTime.class), row.getLong("pk")),
                    row.getLong("bytes"),
                    row.getBoolean("free")))
        .list();
  }

  /** The first of them, up to the payloads that one step may delete; at least one. */
  private static List<Old> thatFit(List<Old> page) {
    List<Old> fit = new ArrayList<>();
    long bytes = 0;
    for (Old old : page) {
      bytes += old.free() ? old.bytes() : 0;
      if (bytes > BYTES && !fit.isEmpty()) {
        break;
      }
      fit.add(old);
    }
    return fit;
  }

  private Deleted delete(Stream<Long> free) {
    Object[] candidates = free.toArray();
    if (candidates.length == 0) {
      return Deleted.NOTHING;
    }
    LockTimeout.set(jdbc, patience);
    Object[] locked =
        jdbc.sql(LOCK_EVENTS).param("pks", pks(candidates)).query(Long.class).list().toArray();
    jdbc.sql(LOCK_DEAD_LETTERS).param("pks", pks(locked)).query(row -> {});
    // Its own look at the queue, begun under the locks.
    return jdbc.sql(DELETE)
        .param("pks", pks(locked))
        .param("deadLetters", deadLetterSeconds)
        .query((row, number) -> new Deleted(row.getLong("events"), row.getLong("dead_letters")))
        .single();
  }

  private static SqlArrayValue pks(Object[] pks) {
    return new SqlArrayValue("bigint", pks);
  }
}
