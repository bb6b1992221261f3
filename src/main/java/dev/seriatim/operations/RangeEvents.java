package dev.seriatim.operations;

import dev.seriatim.queue.Returning;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The events of a time range that are for one subscription, in the order in which they were
 * published. Thread-safe; each method is one statement on the caller's transaction.
 */
@Component
class RangeEvents {

  /**
   * @param subscription its number
   * @param types patterns, one of which the type must fit
   * @param neverRouted patterns, one of which the type of an event must fit that was never for the
   *     subscription; empty when such events are not wanted
   * @param to events that were published then or later are not wanted
   */
  record Wanted(
      long subscription,
      String tenant,
      List<String> types,
      List<String> neverRouted,
      Instant from,
      Instant to) {}

  /** The order: first by time, then by number. */
  record Place(Instant at, long pk) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byTime = at.compareTo(other.at);
      return byTime != 0 ? byTime : Long.compare(pk, other.pk);
    }
  }

  /**
   * @param tx the transaction that published it, in which published_at says nothing of the order
   * @param original null when it was never for the subscription
   */
  record Found(
      Place place, String tx, @Nullable String resource, Returning.@Nullable Original original) {}

  private static final String END =
      """
      select published_at as at, pk
      from event
      where (published_at, pk) > (:at, :pk) and published_at < :to
      order by published_at, pk
      offset :rows - 1
      limit 1
      """;

  // Patterns fit as in EventTypes.want.
  private static final String FITS =
      """
      exists (
        select from unnest(:%s::text[]) p
        where p in ('*', e.type) or (p like '%%.*' and starts_with(e.type, left(p, -1))))
      """;

  private static final String EVENTS =
      """
      from event e
      left join lateral (
        select delivery, lane, sequence
        from jsonb_to_recordset(e.deliveries) as r (delivery bigint, pk bigint, lane bigint, sequence bigint)
        where r.pk = :subscription
      ) r on true
      where e.tenant = :tenant and e.published_at < :to
        and (e.published_at, e.pk) > (:at, :pk)
        and %s
        and (r.delivery is not null or %s)
      """
          .formatted(FITS.formatted("types"), FITS.formatted("neverRouted"));

  private static final String LIST =
      """
      select e.published_at, e.pk, e.tx::text as tx, e.resource, r.delivery, r.lane, r.sequence
      """
          + EVENTS;

  private static final String UP_TO_END = "and (e.published_at, e.pk) <= (:endAt, :endPk)\n";

  private static final String OF_TRANSACTIONS =
      """
      and e.published_at <= :until
      and e.tx = any (:txs::xid8[])
      """;

  private static final String IN_ORDER = "order by e.published_at, e.pk\n";

  private static final String NOT_QUEUED =
      """
      and not exists (
        select from delivery d where d.event_pk = e.pk and d.subscription_pk = :subscription)
      """;

  private final JdbcClient jdbc;

  RangeEvents(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  Instant now() {
    return jdbc.sql("select clock_timestamp() as now")
        .query((row, number) -> Rows.instant(row, "now"))
        .single();
  }

  /** Those that are not queued. Reads the whole range. */
  long count(Wanted wanted) {
    Conditions conditions = conditions(wanted, start(wanted));
    return jdbc.sql("select count(*)\n" + EVENTS + NOT_QUEUED)
        .params(conditions.values())
        .query(Long.class)
        .single();
  }

  /** Before the first of them. */
  static Place start(Wanted wanted) {
    return new Place(wanted.from(), 0);
  }

  /**
   * The place of the event so many after another, whoever it is for; empty if there are fewer. So
   * many are looked through in one step.
   */
  Optional<Place> end(Wanted wanted, Place after, int rows) {
    return jdbc.sql(END)
        .param("at", after.at().atOffset(ZoneOffset.UTC))
        .param("pk", after.pk())
        .param("to", wanted.to().atOffset(ZoneOffset.UTC))
        .param("rows", rows)
        .query((row, number) -> new Place(Rows.instant(row, "at"), row.getLong("pk")))
        .optional();
  }

  /**
   * @param end the last place to be looked at; null for all
   */
  List<Found> list(Wanted wanted, Place after, @Nullable Place end, int limit) {
    Conditions conditions = conditions(wanted, after).with("limit", limit);
    if (end != null) {
      conditions.with("endAt", end.at().atOffset(ZoneOffset.UTC)).with("endPk", end.pk());
    }
    return jdbc.sql(LIST + (end == null ? "" : UP_TO_END) + IN_ORDER + "limit :limit")
        .params(conditions.values())
        .query((row, number) -> found(row))
        .list();
  }

  /** What else some transactions published after a place. */
  List<Found> alsoOf(Collection<String> txs, Wanted wanted, Place after, Instant until) {
    Conditions conditions =
        conditions(wanted, after)
            .with("until", until.atOffset(ZoneOffset.UTC))
            .with("txs", txs.toArray(String[]::new));
    return jdbc.sql(LIST + OF_TRANSACTIONS + IN_ORDER)
        .params(conditions.values())
        .query((row, number) -> found(row))
        .list();
  }

  private static Conditions conditions(Wanted wanted, Place after) {
    return new Conditions()
        .with("subscription", wanted.subscription())
        .with("tenant", wanted.tenant())
        .with("types", wanted.types().toArray(String[]::new))
        .with("neverRouted", wanted.neverRouted().toArray(String[]::new))
        .with("to", wanted.to().atOffset(ZoneOffset.UTC))
        .with("at", after.at().atOffset(ZoneOffset.UTC))
        .with("pk", after.pk());
  }

  private static Found found(ResultSet row) throws SQLException {
    Long delivery = Rows.longOrNull(row, "delivery");
    return new Found(
        new Place(Rows.instant(row, "published_at"), row.getLong("pk")),
        row.getString("tx"),
        row.getString("resource"),
        delivery == null
            ? null
            : new Returning.Original(
                delivery, Rows.longOrNull(row, "lane"), Rows.longOrNull(row, "sequence"), false));
  }
}
