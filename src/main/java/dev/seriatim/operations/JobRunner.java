package dev.seriatim.operations;

import dev.seriatim.operations.JobStep.Piece;
import dev.seriatim.queue.WakeUps;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Does the steps of jobs: each is one transaction that holds the lock of the job's row, does a
 * bounded piece and stores how far it came. So a crash or a second pod loses and repeats nothing.
 * Thread-safe.
 */
@Component
class JobRunner {

  private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

  /** Failed steps one after the other, after which the job is given up. */
  static final int MOST_FAILURES = 20;

  private static final int RETRY_SECONDS = 5;

  /**
   * For each lane that somebody else has: publishers and owners wait meanwhile for those that the
   * step has already.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  // skip locked   another pod is at it; this one may do the next.
  // due_at        its last step failed a moment ago: others first.
  // kind          a later version may know others.
  private static final String TAKE =
      """
      select id, kind, parameters, position
      from job
      where finished_at is null and due_at <= statement_timestamp() and kind = any (:kinds)
      order by id
      limit 1
      for update skip locked
      """;

  private static final String STORE =
      """
      update job
      set state = :state, started_at = coalesce(started_at, clock_timestamp()),
        finished_at = case when :final then clock_timestamp() end,
        done = done + :done, skipped = skipped + :skipped, position = coalesce(cast(:position as jsonb), position),
        error = :error, failures = 0
      where id = :id
      """;

  private static final String POSTPONE =
      """
      update job
      set failures = failures + :counted, due_at = statement_timestamp() + :retry * interval '1 second', error = :error,
        state = case when failures + :counted >= :most then 'FAILED' else state end,
        finished_at = case when failures + :counted >= :most then clock_timestamp() end
      where id = :id and finished_at is null
      """;

  private record Taken(long id, JobKind kind, String parameters, @Nullable String position) {}

  private final JdbcClient jdbc;
  private final TransactionOperations transaction;
  private final WakeUps wakeUps;
  private final Map<JobKind, JobStep> steps = new EnumMap<>(JobKind.class);

  JobRunner(
      JdbcClient jdbc,
      TransactionOperations transaction,
      WakeUps wakeUps,
      Collection<JobStep> steps) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.wakeUps = wakeUps;
    steps.forEach(step -> this.steps.put(step.kind(), step));
  }

  /**
   * One step of the oldest job that nobody is at. Blocks for it.
   *
   * @return whether there was one
   * @throws org.springframework.dao.DataAccessException or
   * @throws org.springframework.transaction.TransactionException when the database is away
   */
  boolean step() {
    Taken[] taken = new Taken[1];
    try {
      Optional<Piece> done =
          transaction.execute(
              status -> {
                Optional<Taken> job = take();
                job.ifPresent(
                    found -> {
                      taken[0] = found;
                      LockTimeout.set(jdbc, PATIENCE);
                    });
                return job.map(this::work);
              });
      done.ifPresent(piece -> finished(taken[0], piece));
      return done.isPresent();
    } catch (RuntimeException | Error e) {
      // A deadlock, an outage, a fault of ours, an Error as well: whatever it is, the piece is
      // whole or not there, and the other jobs must go on.
      Taken job = taken[0];
      if (job == null) {
        throw e;
      }
      log.warn("A step of job {} failed; trying again: {}", job.id(), e.toString());
      postpone(job, e);
      return true;
    }
  }

  private Optional<Taken> take() {
    return jdbc.sql(TAKE)
        .param("kinds", steps.keySet().stream().map(JobKind::name).toArray(String[]::new))
        .query(
            (row, number) ->
                new Taken(
                    row.getLong("id"),
                    JobKind.valueOf(row.getString("kind")),
                    row.getString("parameters"),
                    row.getString("position")))
        .optional();
  }

  private Piece work(Taken job) {
    JobStep step = Objects.requireNonNull(steps.get(job.kind()));
    Piece piece = step.next(job.parameters(), job.position());
    switch (piece) {
      case Piece.More(long done, long skipped, String position, Set<Integer> _) ->
          store(job, Job.State.RUNNING, done, skipped, position, null);
      case Piece.Last(long done, long skipped, Set<Integer> _) ->
          store(job, Job.State.DONE, done, skipped, null, null);
      case Piece.Impossible(String reason) -> store(job, Job.State.FAILED, 0, 0, null, reason);
    }
    return piece;
  }

  /** After the commit. */
  private void finished(Taken job, Piece piece) {
    switch (piece) {
      case Piece.More(long _, long _, String _, Set<Integer> partitions) ->
          wakeUps.wake(partitions);
      case Piece.Last(long _, long _, Set<Integer> partitions) -> {
        wakeUps.wake(partitions);
        log.info("Job {} is done", job.id());
      }
      case Piece.Impossible(String reason) -> log.warn("Job {} cannot go on: {}", job.id(), reason);
    }
  }

  private void store(
      Taken job,
      Job.State state,
      long done,
      long skipped,
      @Nullable String position,
      @Nullable String error) {
    jdbc.sql(STORE)
        .param("id", job.id())
        .param("state", state.name())
        .param("final", state != Job.State.RUNNING)
        .param("done", done)
        .param("skipped", skipped)
        .param("position", position)
        .param("error", error)
        .update();
  }

  private void postpone(Taken job, Throwable failure) {
    jdbc.sql(POSTPONE)
        .param("id", job.id())
        .param("retry", RETRY_SECONDS)
        .param("most", MOST_FAILURES)
        // A lane that somebody has is no fault of the job, however long they have it.
        .param("counted", LockTimeout.ran(failure) ? 0 : 1)
        .param("error", failure.toString())
        .update();
  }
}
