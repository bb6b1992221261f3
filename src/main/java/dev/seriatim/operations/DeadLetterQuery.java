package dev.seriatim.operations;

import dev.seriatim.api.PageRequest;
import dev.seriatim.queue.EjectReason;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads dead letters. Relies on events, subscriptions and lanes being kept as long as a dead letter
 * refers to them. Thread-safe.
 */
@Component
class DeadLetterQuery {

  /** Attempts shown with one dead letter. */
  static final int RECENT_ATTEMPTS = 10;

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

  private static final String ONE = COLUMNS + ", e.payload\n" + TABLES + "where d.id = :id";

  /** On the index of the event; a delivery has its attempts beside those of its siblings there. */
  private static final String ATTEMPTS =
      """
      select at, attempt, worker, epoch, verdict, status, duration_ms, address, location, response_headers, response_body
      from attempt
      where event_pk = :event and delivery_id = :delivery
      order by at desc, attempt desc
      limit :limit
      """;

  private final JdbcClient jdbc;

  DeadLetterQuery(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Newest first, from the cursor on; one more than the page holds if there are more. */
  List<DeadLetter> list(DeadLetterFilter filter, PageRequest page) {
    // Only the conditions that are asked for, so that the plan of a prepared statement can use
    // the index that fits them.
    StringBuilder where = new StringBuilder("where true\n");
    Map<String, Object> values = new LinkedHashMap<>();
    filter(where, values, "and d.tenant = :tenant\n", "tenant", filter.tenant());
    filter(
        where,
        values,
        "and d.subscription_pk = any (array(select pk from subscription where id = :subscription))\n",
        "subscription",
        filter.subscription());
    filter(where, values, "and l.key = :key\n", "key", filter.key());
    EjectReason reason = filter.reason();
    filter(
        where, values, "and d.reason = :reason\n", "reason", reason == null ? null : reason.name());
    filter(where, values, "and d.ejected_at >= :from\n", "from", timestamp(filter.from()));
    filter(where, values, "and d.ejected_at < :to\n", "to", timestamp(filter.to()));
    filter(where, values, "and d.id < :after\n", "after", page.afterNumber());
    values.put("rows", page.rowsToRead());
    return jdbc.sql(COLUMNS + TABLES + where + "order by d.id desc\nlimit :rows")
        .params(values)
        .query((row, number) -> deadLetter(row))
        .list();
  }

  private static void filter(
      StringBuilder where,
      Map<String, Object> values,
      String condition,
      String name,
      @Nullable Object value) {
    if (value != null) {
      where.append(condition);
      values.put(name, value);
    }
  }

  private static @Nullable Object timestamp(@Nullable Instant time) {
    return time == null ? null : time.atOffset(ZoneOffset.UTC);
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
        attempts(found.event(), found.delivery()));
  }

  private List<DeadLetter.Attempt> attempts(long event, long delivery) {
    return jdbc.sql(ATTEMPTS)
        .param("event", event)
        .param("delivery", delivery)
        .param("limit", RECENT_ATTEMPTS)
        .query((row, number) -> attempt(row))
        .list();
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

  private static DeadLetter.Attempt attempt(ResultSet row) throws SQLException {
    byte[] body = row.getBytes("response_body");
    return new DeadLetter.Attempt(
        Rows.instant(row, "at"),
        row.getInt("attempt"),
        row.getString("worker"),
        row.getLong("epoch"),
        row.getString("verdict"),
        Rows.intOrNull(row, "status"),
        Duration.ofMillis(row.getInt("duration_ms")),
        row.getString("address"),
        row.getString("location"),
        row.getString("response_headers"),
        body == null ? null : new String(body, StandardCharsets.UTF_8));
  }
}
