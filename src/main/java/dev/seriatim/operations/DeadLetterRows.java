package dev.seriatim.operations;

import dev.seriatim.queue.Returning;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.SubscriptionDirectory;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Dead letters as those that can come back into the queue, in the order of their lanes. Those that
 * were discarded are not among them. Thread-safe; each method is a few statements on the caller's
 * transaction.
 */
@Component
class DeadLetterRows {

  /**
   * A place in the order by lane, sequence and id; those without a lane come first.
   *
   * @param lane 0 without one, as is {@code sequence}
   */
  record Line(long lane, long sequence, long id) {
    static final Line START = new Line(-1, 0, 0);
  }

  /** A dead letter and where it stands. */
  record Found(Line line, Returning returning) {}

  // A copy has a number that the event was not published with.
  private static final String COLUMNS =
      """
      select d.id, coalesce(d.lane_id, 0) as line_lane, coalesce(d.sequence, 0) as line_sequence,
        d.event_pk, d.subscription_pk, d.delivery_id, d.lane_id, d.sequence, e.resource,
        not e.deliveries @> jsonb_build_array(jsonb_build_object('delivery', d.delivery_id)) as copy
      """;

  private static final String TABLES =
      """
      from dead_letter d
      join event e on e.pk = d.event_pk
      join subscription s on s.pk = d.subscription_pk
      left join lane l on l.id = d.lane_id
      """;

  private static final String ONE =
      COLUMNS + TABLES + "where d.id = :id and d.discarded_at is null";

  private static final String PLACE = "(coalesce(d.lane_id, 0), coalesce(d.sequence, 0), d.id)";

  // upTo   what was given up after the job began does not come back at once.
  private static final String END =
      """
      select coalesce(d.lane_id, 0) as lane, coalesce(d.sequence, 0) as sequence, d.id
      from dead_letter d
      where d.discarded_at is null and %1$s > (:lane, :sequence, :id) and d.id <= :upTo
      order by %1$s
      offset :rows - 1
      limit 1
      """
          .formatted(PLACE);

  // state   a deleted subscription gets nothing any more.
  private static final String WANTED =
      "where d.discarded_at is null and s.state <> 'DELETED' and d.id <= :upTo\n";

  private static final String AFTER = "and %s > (:lane, :sequence, :id)\n".formatted(PLACE);

  private static final String UP_TO_END =
      "and %s <= (:endLane, :endSequence, :endId)\n".formatted(PLACE);

  private static final String IN_LINE = "order by %s\nlimit :limit".formatted(PLACE);

  private final JdbcClient jdbc;
  private final SubscriptionDirectory subscriptions;

  DeadLetterRows(JdbcClient jdbc, SubscriptionDirectory subscriptions) {
    this.jdbc = jdbc;
    this.subscriptions = subscriptions;
  }

  Optional<Returning> find(long id) {
    return found(jdbc.sql(ONE).param("id", id).query((row, number) -> row(row)).list()).stream()
        .map(Found::returning)
        .findFirst();
  }

  /** The newest there is; 0 without any. */
  long last() {
    return jdbc.sql("select coalesce(max(id), 0) from dead_letter").query(Long.class).single();
  }

  /**
   * @param upTo the newest that counts
   */
  long count(DeadLetterFilter filter, long upTo) {
    Conditions conditions = filter.conditions().with("upTo", upTo);
    return jdbc.sql("select count(*)\n" + TABLES + WANTED + conditions.sql())
        .params(conditions.values())
        .query(Long.class)
        .single();
  }

  /**
   * The place of the one so many after another, whatever it is; empty if there are fewer. So many
   * are looked through in one step.
   */
  Optional<Line> end(Line after, long upTo, int rows) {
    return jdbc.sql(END)
        .param("lane", after.lane())
        .param("sequence", after.sequence())
        .param("id", after.id())
        .param("upTo", upTo)
        .param("rows", rows)
        .query(Line.class)
        .optional();
  }

  /**
   * @param end the last place to be looked at; null for all
   */
  List<Found> list(DeadLetterFilter filter, Line after, @Nullable Line end, long upTo, int limit) {
    Conditions conditions =
        filter
            .conditions()
            .with("upTo", upTo)
            .with("lane", after.lane())
            .with("sequence", after.sequence())
            .with("id", after.id())
            .with("limit", limit);
    if (end != null) {
      conditions
          .with("endLane", end.lane())
          .with("endSequence", end.sequence())
          .with("endId", end.id());
    }
    return found(
        jdbc.sql(
                COLUMNS
                    + TABLES
                    + WANTED
                    + AFTER
                    + (end == null ? "" : UP_TO_END)
                    + conditions.sql()
                    + IN_LINE)
            .params(conditions.values())
            .query((row, number) -> row(row))
            .list());
  }

  private record Row(
      Line line,
      long event,
      @Nullable String resource,
      long subscription,
      Returning.Original original) {}

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        new Line(row.getLong("line_lane"), row.getLong("line_sequence"), row.getLong("id")),
        row.getLong("event_pk"),
        row.getString("resource"),
        row.getLong("subscription_pk"),
        new Returning.Original(
            row.getLong("delivery_id"),
            Rows.longOrNull(row, "lane_id"),
            Rows.longOrNull(row, "sequence"),
            row.getBoolean("copy")));
  }

  private List<Found> found(List<Row> rows) {
    Map<Long, Subscription> byPk =
        subscriptions.load(rows.stream().map(Row::subscription).distinct().toList()).stream()
            .collect(Collectors.toMap(Subscription::pk, Function.identity()));
    return rows.stream()
        .map(
            row ->
                new Found(
                    row.line(),
                    new Returning(
                        row.event(),
                        row.resource(),
                        Objects.requireNonNull(byPk.get(row.subscription())),
                        row.original(),
                        row.line().id())))
        .toList();
  }
}
