package dev.seriatim.operations;

import java.time.Duration;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Drops the tables of days of the attempt history that are old, one a step, then deletes what is
 * old of {@code attempt_default}, a bounded number of rows a step. Tables with other names than
 * {@link AttemptDays} gives are left alone.
 *
 * <p>Dropping needs ACCESS EXCLUSIVE on {@code attempt}, and whoever records a verdict queues
 * behind whoever waits for that. The way around it, DETACH PARTITION CONCURRENTLY, is refused by
 * every PostgreSQL (14 to 18) as long as there is a default partition, and without that a missing
 * day would refuse verdicts. So the wait is short and is given up: a backup or a long query that
 * reads the history costs those who record one short wait a minute until it ends, and the day goes
 * afterwards. Once the lock is there, dropping is a matter of the catalog; the files go after the
 * lock.
 */
final class AttemptRetention implements RetentionStep {

  static final int ROWS = 1000;

  // By name, which sorts as the days do, and never by a date that a foreign name cannot be read as.
  private static final String OLDEST =
      """
      select c.relname
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'attempt'::regclass
        and c.relname::text ~ '^attempt_[0-9]{8}$'
        and c.relname::text collate "C" <
          to_char((statement_timestamp() - :seconds * interval '1 second') at time zone 'UTC', '"attempt_"YYYYMMDD')
      order by c.relname
      limit 1
      """;

  // A function of the schema, which has the right to drop tables; the service has not.
  private static final String DROP = "select drop_attempt_day(:day)";

  private static final String DELETE_REST =
      """
      delete from attempt_default
      where ctid = any (array(
        select ctid from attempt_default
        where at < statement_timestamp() - :seconds * interval '1 second'
        order by at
        limit :rows))
      """;

  private final JdbcClient jdbc;
  private final TransactionOperations transaction;
  private final RetentionTurns turns;
  private final RetentionMeters meters;
  private final Duration age;
  private final Duration patience;

  /**
   * @param age what is older goes
   * @param patience how long to wait for the lock, and so how long verdicts may wait to be recorded
   */
  AttemptRetention(
      JdbcClient jdbc,
      TransactionOperations transaction,
      RetentionTurns turns,
      RetentionMeters meters,
      Duration age,
      Duration patience) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.turns = turns;
    this.meters = meters;
    this.age = age;
    this.patience = patience;
  }

  @Override
  public Kind kind() {
    return Kind.ATTEMPTS;
  }

  @Override
  public Outcome step() {
    Deleted deleted = transaction.execute(status -> delete());
    meters.deleted(RetentionMeters.What.ATTEMPT_DAYS, deleted.days());
    meters.deleted(RetentionMeters.What.ATTEMPTS, deleted.rows());
    return deleted.outcome();
  }

  private record Deleted(int days, int rows, Outcome outcome) {}

  private Deleted delete() {
    if (turns.take(kind()).isEmpty()) {
      return new Deleted(0, 0, Outcome.NOT_NOW);
    }
    Optional<String> day = oldestDay();
    if (day.isPresent()) {
      drop(day.get());
      turns.more(kind());
      return new Deleted(1, 0, Outcome.MORE);
    }
    int rows = jdbc.sql(DELETE_REST).param("seconds", age.toSeconds()).param("rows", ROWS).update();
    if (rows == ROWS) {
      turns.more(kind());
      return new Deleted(0, rows, Outcome.MORE);
    }
    turns.done(kind());
    return new Deleted(0, rows, Outcome.DONE);
  }

  private Optional<String> oldestDay() {
    return jdbc.sql(OLDEST).param("seconds", age.toSeconds()).query(String.class).optional();
  }

  private void drop(String day) {
    LockTimeout.set(jdbc, patience);
    jdbc.sql(DROP).param("day", day).query(row -> {});
  }
}
