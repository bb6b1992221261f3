package dev.seriatim.operations;

import dev.seriatim.api.PageRequest;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads lanes. What a list costs by age depends on the page for those that are held or wait, and on
 * the number of lanes with something queued otherwise; by depth it reads all that is queued in the
 * lanes to be compared. Thread-safe; blocks for one round trip, or three for one lane.
 */
@Component
class LaneQuery {

  /** Deliveries shown of one lane. */
  static final int LINE = 20;

  private static final String DEPTH = "(select count(*) from delivery n where n.lane_id = %s)";

  // depth   Counted for the page only, unless the page was chosen by it.
  private static final String DETAILS =
      """
      select l.id, l.tenant, o.id as lane_subscription, l.key, l.state, l.held_by, l.reason, l.held_at,
        s.state as subscription_state, s.disabled_reason, p.id as partition, p.paused_reason,
        extract(epoch from clock_timestamp() - d.enqueued_at)::double precision as oldest_age,
        e.id as event, e.type as event_type, s.id as subscription, d.sequence, d.attempts, d.last_verdict,
        d.first_attempt_at, d.next_attempt_at, d.enqueued_at, d.event_pk, d.id as delivery_id,
        c.since, coalesce(c.depth, %s) as depth
      from (%%s) c
      join lane l on l.id = c.lane_id
      left join lateral (
        select d.partition, d.id, d.event_pk, d.subscription_pk, d.sequence, d.attempts, d.last_verdict,
          d.first_attempt_at, d.next_attempt_at, d.enqueued_at
        from delivery d
        where d.lane_id = l.id
        order by d.sequence
        limit 1
      ) d on true
      left join subscription s on s.pk = d.subscription_pk
      left join event e on e.pk = d.event_pk
      left join subscription o on o.pk = l.subscription_pk
      left join partition p on p.id = case when d.partition < 0 then ~d.partition else d.partition end
      """
          .formatted(DEPTH.formatted("l.id"));

  private static final String ONE =
      DETAILS.formatted(
          "select cast(:id as bigint) as lane_id, now() as since, null::bigint as depth");

  private static final String BY_AGE =
      """
      select lane_id, since, null::bigint as depth
      from (%s) x
      order by since, lane_id
      limit :rows
      """;

  private static final String BY_DEPTH =
      """
      select lane_id, since, depth
      from (select x.lane_id, x.since, %s as depth from (%%s) x) y
      where true
      %%s
      order by depth desc, lane_id
      limit :rows
      """
          .formatted(DEPTH.formatted("x.lane_id"));

  private static final String FIRST_IN_LINE =
      """
      select e.id as event, e.type as event_type, s.id as subscription, d.sequence, d.attempts, d.last_verdict,
        d.first_attempt_at, d.next_attempt_at, d.enqueued_at
      from delivery d
      join event e on e.pk = d.event_pk
      join subscription s on s.pk = d.subscription_pk
      where d.lane_id = :id
      order by d.sequence
      limit :most
      """;

  private final JdbcClient jdbc;
  private final AttemptSources sources;
  private final RecentAttempts attempts;

  LaneQuery(JdbcClient jdbc, AttemptSources sources, RecentAttempts attempts) {
    this.jdbc = jdbc;
    this.sources = sources;
    this.attempts = attempts;
  }

  /**
   * A lane of a list.
   *
   * @param since what a list by age is ordered by
   */
  record Listed(Lane lane, Instant since) {
    LanePosition position(Lane.Sort sort) {
      return switch (sort) {
        case AGE -> LanePosition.ofAge(since, lane.id());
        case DEPTH -> new LanePosition(sort, lane.depth(), lane.id());
      };
    }
  }

  /** From the cursor on, those with something queued; one more than the page if there are more. */
  List<Listed> list(LaneFilter filter, Lane.Sort sort, PageRequest page) {
    LanePosition after = page.after(text -> LanePosition.parse(sort, text));
    Map<String, Object> values = new HashMap<>();
    String found = found(filter, sort == Lane.Sort.AGE ? after : null, values);
    String sql =
        switch (sort) {
          case AGE -> DETAILS.formatted(BY_AGE.formatted(found)) + "order by c.since, l.id";
          case DEPTH ->
              DETAILS.formatted(BY_DEPTH.formatted(found, beyond(after, values)))
                  + "order by c.depth desc, l.id";
        };
    return jdbc.sql(sql)
        .params(values)
        .param("rows", page.rowsToRead())
        // Which are deepest shows only when all are counted.
        .param("most", sort == Lane.Sort.AGE ? page.rowsToRead() : null)
        .query((row, number) -> new Listed(LaneRows.lane(row), Rows.instant(row, "since")))
        .list();
  }

  private static String beyond(@Nullable LanePosition after, Map<String, Object> values) {
    if (after == null) {
      return "";
    }
    values.put("depth", after.value());
    values.put("lane", after.lane());
    return "and (depth < :depth or (depth = :depth and lane_id > :lane))";
  }

  private String found(
      LaneFilter filter, @Nullable LanePosition after, Map<String, Object> values) {
    return places(filter, values)
        .map(
            source -> {
              Conditions conditions = conditions(filter);
              String sql = source.sql(conditions, filter.olderThan(), after);
              values.putAll(conditions.values());
              return "(" + sql + ")";
            })
        .collect(Collectors.joining("\nunion all\n"));
  }

  private Stream<LaneSource> places(LaneFilter filter, Map<String, Object> values) {
    String subscription = filter.subscription();
    String key = filter.key();
    if (subscription != null && key != null) {
      List<Long> of = sources.subscriptions(filter.tenant(), subscription);
      values.put("lanes", Conditions.array(sources.lanes(of, key)));
      return Stream.of(LaneSource.NAMED);
    }
    return switch (filter.state()) {
      case null -> Stream.of(LaneSource.ALL);
      case ACTIVE -> Stream.of(LaneSource.ALL);
      case WAITING -> Stream.of(LaneSource.FAILING);
      case HELD -> Stream.of(LaneSource.HELD, LaneSource.DISABLED);
    };
  }

  private static Conditions conditions(LaneFilter filter) {
    Conditions conditions =
        new Conditions()
            .and("s.id = :subscription", "subscription", filter.subscription())
            .and("l.tenant = :tenant", "tenant", filter.tenant())
            .and("l.key = :key", "key", filter.key())
            // What stands aside as well.
            .and("d.partition in (:partition, ~:partition)", "partition", filter.partition())
            // What is left of it is being cancelled.
            .and("(s.state <> 'DELETED' or l.subscription_pk is null)");
    switch (filter.state()) {
      case null -> {}
      case HELD -> conditions.and("(l.state = 'HELD' or s.state = 'DISABLED')");
      case WAITING ->
          conditions
              .and("l.state = 'ACTIVE' and s.state <> 'DISABLED'")
              .and("d.first_attempt_at is not null");
      case ACTIVE ->
          conditions
              .and("l.state = 'ACTIVE' and s.state <> 'DISABLED'")
              .and("d.first_attempt_at is null");
    }
    return conditions;
  }

  /** Also a lane that has nothing queued. */
  Optional<Lane> find(long id) {
    return jdbc.sql(ONE).param("id", id).query((row, number) -> LaneRows.lane(row)).optional();
  }

  /** Three looks, one after the other. */
  Optional<Lane.Detail> detail(long id) {
    return jdbc.sql(ONE)
        .param("id", id)
        .query(
            (row, number) ->
                new Found(LaneRows.lane(row), row.getLong("event_pk"), row.getLong("delivery_id")))
        .optional()
        .map(
            found ->
                new Lane.Detail(
                    found.lane(), line(id), attempts.of(found.event(), found.delivery())));
  }

  /** A lane and what its head's attempts are found by; of no attempt when there is no head. */
  private record Found(Lane lane, long event, long delivery) {}

  private List<Lane.Queued> line(long id) {
    return jdbc.sql(FIRST_IN_LINE)
        .param("id", id)
        .param("most", LINE)
        .query((row, number) -> LaneRows.queued(row))
        .list();
  }
}
