package dev.seriatim.operations;

import dev.seriatim.operations.RetentionStep.Kind;
import dev.seriatim.partition.WorkerName;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Who may do the next step of retention, and when. A step holds the lock of its row while it runs,
 * which works behind a transaction pooler as well. Between the steps of a round the row names the
 * pod, so that others leave the round and its pauses to it; if they do not hear of it any more,
 * they go on. Thread-safe.
 */
final class RetentionTurns {

  /** Between two rounds, for the whole cluster. */
  static final Duration REST = Duration.ofMinutes(10);

  /** After which others go on with a round, or try again what failed. */
  private static final Duration RETRY = Duration.ofMinutes(1);

  /**
   * How often the events that were kept are looked at again: those that were queued or in the dead
   * letters. In between only what has grown old since is looked at.
   */
  private static final Duration FROM_START_EVERY = Duration.ofHours(6);

  // skip locked     one pod at a time: the others do not even wait.
  // worker          its own round goes on without a break.
  // due_at > …      never set that far ahead: the clock has gone back.
  private static final String TAKE =
      """
      select position_at, position_pk,
        from_start_at not between statement_timestamp() - :fromStart * interval '1 second' and statement_timestamp()
          as from_start
      from retention
      where kind = :kind
        and (worker = :worker
          or due_at <= statement_timestamp()
          or due_at > statement_timestamp() + :rest * interval '1 second')
      for update skip locked
      """;

  private static final String NEXT =
      """
      update retention
      set worker = :worker, due_at = statement_timestamp() + :in * interval '1 second'
      where kind = :kind
      """;

  private static final String MOVE =
      """
      update retention
      set position_at = :at, position_pk = :pk,
        from_start_at = case when :fromStart then statement_timestamp() else from_start_at end
      where kind = :kind
      """;

  /** Up to where the events have been looked at: those before, and this one. */
  record Position(OffsetDateTime at, long pk) {
    static final Position START = new Position(OffsetDateTime.MIN, 0);
  }

  /**
   * @param fromStart whether the position is the start again
   */
  record Turn(Position position, boolean fromStart) {}

  private final JdbcClient jdbc;
  private final String worker;

  RetentionTurns(JdbcClient jdbc, WorkerName worker) {
    this.jdbc = jdbc;
    this.worker = worker.value();
  }

  /** In a transaction, which then has the turn until its end. */
  Optional<Turn> take(Kind kind) {
    return jdbc.sql(TAKE)
        .param("kind", kind.name())
        .param("worker", worker)
        .param("rest", REST.toSeconds())
        .param("fromStart", FROM_START_EVERY.toSeconds())
        .query(
            (row, number) ->
                row.getBoolean("from_start")
                    ? new Turn(Position.START, true)
                    : new Turn(
                        new Position(
                            row.getObject("position_at", OffsetDateTime.class),
                            row.getLong("position_pk")),
                        false))
        .optional();
  }

  /** In the same transaction: the round goes on with this pod. */
  void more(Kind kind) {
    next(kind, worker, RETRY);
  }

  /** In the same transaction: the round is over. */
  void done(Kind kind) {
    next(kind, null, REST);
  }

  /** After the transaction failed: no pod tries again at once. */
  void postpone(Kind kind) {
    next(kind, null, RETRY);
  }

  /** In the same transaction. */
  void move(Kind kind, Turn turn, Position position) {
    jdbc.sql(MOVE)
        .param("kind", kind.name())
        .param("at", position.at())
        .param("pk", position.pk())
        .param("fromStart", turn.fromStart())
        .update();
  }

  private void next(Kind kind, @Nullable String next, Duration in) {
    jdbc.sql(NEXT)
        .param("kind", kind.name())
        .param("worker", next)
        .param("in", in.toSeconds())
        .update();
  }
}
