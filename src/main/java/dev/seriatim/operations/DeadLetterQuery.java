package dev.seriatim.operations;

import dev.seriatim.api.PageRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads dead letters, but for those that were discarded. Relies on events, subscriptions and lanes
 * being kept as long as a dead letter refers to them. Thread-safe.
 */
@Component
class DeadLetterQuery {

  private static final String COLUMNS =
      """
      select d.id, d.tenant, s.id as subscription, e.id as event, e.type as event_type, l.key, d.sequence,
             d.attempts, d.reason, d.last_verdict, d.enqueued_at, d.first_attempt_at, d.ejected_at,
             d.event_pk, d.delivery_id, e.resource, e.content_type
      """;

  private static final String TABLES =
      """
      from dead_letter d
      join subscription s on s.pk = d.subscription_pk
      join event e on e.pk = d.event_pk
      left join lane l on l.id = d.lane_id
      """;

  private static final String ONE =
      COLUMNS + ", e.payload\n" + TABLES + "where d.id = :id and d.discarded_at is null";

  private final JdbcClient jdbc;
  private final RecentAttempts attempts;

  DeadLetterQuery(JdbcClient jdbc, RecentAttempts attempts) {
    this.jdbc = jdbc;
    this.attempts = attempts;
  }

  /** Newest first, from the cursor on; one more than the page holds if there are more. */
  List<DeadLetter> list(DeadLetterFilter filter, PageRequest page) {
    Conditions conditions = filter.conditions().and("d.id < :after", "after", page.afterNumber());
    return jdbc.sql(
            COLUMNS
                + TABLES
                + "where d.discarded_at is null\n"
                + conditions.sql()
                + "order by d.id desc\nlimit :rows")
        .params(conditions.values())
        .param("rows", page.rowsToRead())
        .query((row, number) -> deadLetter(row))
        .list();
  }

  /** Two round trips, one after the other: the dead letter, then its attempts. */
  Optional<DeadLetter.Detail> find(long id) {
    return jdbc.sql(ONE)
        .param("id", id)
        .query((row, number) -> found(row))
        .optional()
        .map(this::detail);
  }

  /** A dead letter and what its attempts are found by. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  private record Found(
      DeadLetter letter,
      @Nullable String resource,
      String contentType,
      byte[] payload,
      long event,
      long delivery) {}

  private static Found found(ResultSet row) throws SQLException {
    return new Found(
        deadLetter(row),
        row.getString("resource"),
        row.getString("content_type"),
        row.getBytes("payload"),
        row.getLong("event_pk"),
        row.getLong("delivery_id"));
  }

  private DeadLetter.Detail detail(Found found) {
    return new DeadLetter.Detail(
        found.letter(),
        found.resource(),
        found.contentType(),
        DeadLetter.textOrNull(found.payload()),
        found.payload(),
        attempts.of(found.event(), found.delivery()));
  }

  private static DeadLetter deadLetter(ResultSet row) throws SQLException {
    return new DeadLetter(
        row.getLong("id"),
        row.getString("tenant"),
        row.getString("subscription"),
        row.getString("event"),
        row.getString("event_type"),
        row.getString("key"),
        Rows.longOrNull(row, "sequence"),
        row.getInt("attempts"),
        row.getString("reason"),
        row.getString("last_verdict"),
        Rows.instant(row, "enqueued_at"),
        Rows.instantOrNull(row, "first_attempt_at"),
        Rows.instant(row, "ejected_at"));
  }
}
