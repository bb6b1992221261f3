package dev.seriatim.operations;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import dev.seriatim.queue.VerdictCode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads the history of attempts, with a bound to what one request reads. An event has only so many
 * attempts, and an index for them. Otherwise each subscription is read backwards through an index
 * of its attempts, or of its failures, until the page is full. Whatever else is asked for is looked
 * for attempt by attempt; after {@link #READ_AT_MOST} of them the page ends where it is. Relies on
 * nothing but the attempts being kept. Thread-safe; blocks for two or three round trips.
 */
@Component
class AttemptQuery {

  /** Attempts that one request reads in search of those that match, over all subscriptions. */
  static final int READ_AT_MOST = 10_000;

  /** Bytes of a response body that are shown: a page has up to 500 of them. */
  static final int MOST_BODY = 16 * 1024;

  private static final String NEWEST_FIRST =
      "order by a.at desc, a.delivery_id desc, a.attempt desc\n";

  private static final String COLUMNS =
      "select "
          + AttemptRows.COLUMNS
          + ", substring(a.response_body for %d) as response_body,\n".formatted(MOST_BODY)
          + """
          a.delivery_id, a.sequence, a.partition, a.matches, a.place,
          s.tenant, s.id as subscription, e.id as event, l.key
          """;

  // Attempts are kept for a time of their own: what they refer to may be gone.
  private static final String NAMES =
      """
      left join subscription s on s.pk = a.subscription_pk
      left join event e on e.pk = a.event_pk
      left join lane l on l.id = a.lane_id
      """;

  private static final String BY_EVENT =
      COLUMNS
          + """
          from (
            select a.*, true as matches, 0 as place
            from attempt a
            where a.event_pk = any (:events)
          ) a
          """
          + NAMES
          + "where true\n%s"
          + NEWEST_FIRST
          + "limit :rows";

  // newest    Bounds what is read of a subscription.
  // place     The last row that may be read comes along even if it does not match, to tell where
  //           the reading ended.
  // :rows     Ends the reading when the page is full: a row is read only when it is asked for.
  private static final String BY_SUBSCRIPTION =
      COLUMNS
          + """
          from (
            select a.*
            from unnest(:subscriptions) as source (pk)
            cross join lateral (
              select a.*
              from (
                select a.*, %2$s as matches, row_number() over (%3$s) as place
                from (
                  select a.*
                  from attempt a
                  where a.subscription_pk = source.pk
                  %1$s
                  %3$s
                  limit :read
                ) a
              ) a
              where a.matches or a.place = :read
              %3$s
              limit :rows
            ) a
            %3$s
            limit :rows
          ) a
          """
          + NAMES
          + "%3$s";

  /** An attempt, and whether it is the last one that could be read of its subscription. */
  private record Read(
      Attempt.Listed attempt, AttemptPosition position, boolean matches, boolean last) {}

  private final JdbcClient jdbc;
  private final AttemptSources sources;

  AttemptQuery(JdbcClient jdbc, AttemptSources sources) {
    this.jdbc = jdbc;
    this.sources = sources;
  }

  /**
   * Newest first, from the cursor on. A page that ends before it is full, or empty, has a cursor
   * all the same if there may be more.
   */
  Page<Attempt.Listed> list(AttemptFilter filter, PageRequest page) {
    AttemptPosition after = page.after(AttemptPosition::parse);
    String event = filter.event();
    return event == null
        ? bySubscription(filter, page, after)
        : byEvent(event, filter, page, after);
  }

  private Page<Attempt.Listed> byEvent(
      String event, AttemptFilter filter, PageRequest page, @Nullable AttemptPosition after) {
    List<Long> events = sources.events(filter.tenant(), filter.subscription(), event);
    if (events.isEmpty()) {
      return Page.ending(List.of(), null);
    }
    Conditions conditions =
        range(filter, after)
            .with("events", Conditions.array(events))
            .and("s.id = :subscription", "subscription", filter.subscription())
            .and("l.key = :key", "key", filter.key())
            .and("a.verdict = :verdict", "verdict", name(filter.verdict()));
    return read(BY_EVENT.formatted(conditions.sql()), conditions, page, 0);
  }

  private Page<Attempt.Listed> bySubscription(
      AttemptFilter filter, PageRequest page, @Nullable AttemptPosition after) {
    List<Long> subscriptions = sources.subscriptions(filter.tenant(), filter.subscription());
    String key = filter.key();
    List<Long> lanes = key == null ? null : sources.lanes(subscriptions, key);
    if (subscriptions.isEmpty() || (lanes != null && lanes.isEmpty())) {
      return Page.ending(List.of(), null);
    }
    Conditions conditions =
        range(filter, after).with("subscriptions", Conditions.array(subscriptions));
    Conditions looked =
        new Conditions()
            .and(
                "a.lane_id = any (:lanes)", "lanes", lanes == null ? null : Conditions.array(lanes))
            .and("a.verdict = :verdict", "verdict", name(filter.verdict()));
    // Without anything to look for each row that is read is one for the page.
    int read =
        looked.values().isEmpty()
            ? page.rowsToRead()
            : Math.max(page.rowsToRead(), READ_AT_MOST / subscriptions.size());
    String sql =
        BY_SUBSCRIPTION.formatted(conditions.sql(), "(true " + looked.sql() + ")", NEWEST_FIRST);
    looked.values().forEach(conditions::with);
    return read(sql, conditions.with("read", read), page, read);
  }

  private static Conditions range(AttemptFilter filter, @Nullable AttemptPosition after) {
    Conditions conditions =
        new Conditions()
            .and("a.at >= :from", "from", filter.from())
            .and("a.at < :to", "to", filter.to());
    if (after != null) {
      // The first one again by itself, for the choice of days.
      conditions
          .and("a.at <= :after", "after", after.at())
          .and("(a.at, a.delivery_id, a.attempt) < (:after, :delivery, :attempt)")
          .with("delivery", after.delivery())
          .with("attempt", after.attempt());
    }
    if (filter.onlyFailures()) {
      // In the words of the index of failures.
      conditions.and("a.verdict <> 'DELIVERED'");
    }
    return conditions;
  }

  private static @Nullable String name(@Nullable VerdictCode verdict) {
    return verdict == null ? null : verdict.name();
  }

  private Page<Attempt.Listed> read(
      String sql, Conditions conditions, PageRequest page, int lastPlace) {
    List<Read> rows =
        jdbc.sql(sql)
            .params(conditions.values())
            .param("rows", page.rowsToRead())
            .query((row, number) -> read(row, lastPlace))
            .list();
    List<Attempt.Listed> items = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      Read row = rows.get(i);
      if (row.matches()) {
        items.add(row.attempt());
      }
      boolean full = items.size() == page.limit() && i + 1 < rows.size();
      if (full || row.last()) {
        return Page.ending(items, row.position().text());
      }
    }
    return Page.ending(items, null);
  }

  private static Read read(ResultSet row, int lastPlace) throws SQLException {
    Attempt request = AttemptRows.attempt(row);
    return new Read(
        new Attempt.Listed(
            row.getString("tenant"),
            row.getString("event"),
            row.getString("subscription"),
            row.getString("key"),
            Rows.longOrNull(row, "sequence"),
            row.getInt("partition"),
            request),
        new AttemptPosition(request.at(), row.getLong("delivery_id"), request.attempt()),
        row.getBoolean("matches"),
        lastPlace > 0 && row.getInt("place") == lastPlace);
  }
}
