package dev.seriatim.operations;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where the lanes of a list come from: a way to find them that reads no more than it must. Each is
 * a query for {@code lane_id} and {@code since}, the time that the list is ordered by, in that
 * order and at most {@code :most} of them, of the lanes {@code l} whose head {@code d}, of the
 * subscription {@code s}, meets some conditions.
 *
 * <p>All find the head by the lane's sequence, never by the place of the row, and so see what
 * stands aside.
 */
enum LaneSource {
  /**
   * Lanes whose head has failed and that are not held. Each partition gives its first from the
   * index of what fails; what fails and is not the head is passed by.
   */
  FAILING(
      "d.first_attempt_at",
      """
      select f.lane_id, f.since
      from (select id as place from partition union all select ~id from partition) p
      cross join lateral (
        select d.lane_id, d.first_attempt_at as since
        from delivery d
        %1$s
        join subscription s on s.pk = d.subscription_pk
        where d.partition = p.place
          and d.first_attempt_at is not null
          and not exists (select from delivery b where b.lane_id = d.lane_id and b.sequence < d.sequence)
        %%s
        order by d.first_attempt_at, l.id
        limit cast(:most as bigint)
      ) f
      order by f.since, f.lane_id
      limit cast(:most as bigint)
      """
          .formatted(Sql.LANE.formatted("d"))),

  /** Lanes that are held themselves, from the index of those. */
  HELD(
      "l.held_at",
      """
      select l.id as lane_id, l.held_at as since
      from lane l
      cross join lateral (
        select d.partition, d.first_attempt_at, d.enqueued_at, d.subscription_pk
        from delivery d
        where d.lane_id = l.id
        order by d.sequence
        limit 1
      ) d
      join subscription s on s.pk = d.subscription_pk
      where l.state = 'HELD'
      %s
      order by l.held_at, l.id
      limit cast(:most as bigint)
      """),

  /** Lanes held only by their head's subscription. All heads are read, but not in vain. */
  DISABLED(
      Sql.SINCE,
      Sql.HEADS.formatted("and exists (select from subscription where state = 'DISABLED')")
          + "where l.state = 'ACTIVE' and s.state = 'DISABLED'\n%s"
          + Sql.ORDERED),

  /** All lanes with something queued, one look at the index of lanes for each, however long. */
  ALL(Sql.SINCE, Sql.HEADS.formatted("") + "where true\n%s" + Sql.ORDERED),

  /** Those of {@code :lanes} with something queued. */
  NAMED(
      Sql.SINCE,
      """
      select l.id as lane_id, %s as since
      from unnest(:lanes) as named (id)
      join lane l on l.id = named.id
      cross join lateral (
        select d.partition, d.first_attempt_at, d.enqueued_at, d.subscription_pk
        from delivery d
        where d.lane_id = l.id
        order by d.sequence
        limit 1
      ) d
      join subscription s on s.pk = d.subscription_pk
      where true
      """
              .formatted(Sql.SINCE)
          + "%s"
          + Sql.ORDERED);

  private final String since;
  private final String sql;

  LaneSource(String since, String sql) {
    this.since = since;
    this.sql = sql;
  }

  /**
   * @param conditions begun by the caller, on {@code l}, {@code d} and {@code s}
   * @param after where the list goes on; null for its start, or when it is ordered otherwise
   */
  String sql(Conditions conditions, @Nullable Duration olderThan, @Nullable LanePosition after) {
    conditions.and(
        since + " <= statement_timestamp() - :olderThan * interval '1 second'",
        "olderThan",
        olderThan == null ? null : olderThan.toSeconds());
    if (after != null) {
      // The first one again by itself, for the index that begins with it.
      conditions
          .and(since + " >= :since", "since", after.since())
          .and("(" + since + ", l.id) > (:since, :lane)", "lane", after.lane());
    }
    return sql.formatted(conditions.sql());
  }

  private static final class Sql {

    static final String SINCE = "coalesce(l.held_at, d.first_attempt_at, d.enqueued_at)";

    // offset 0   One look for each row, whatever the planner believes of the states of lanes.
    static final String LANE =
        """
        cross join lateral (
          select id, tenant, subscription_pk, key, state, held_at
          from lane
          where id = %s.lane_id
          offset 0
        ) l""";

    static final String HEADS =
        """
        select l.id as lane_id, %s as since
        from (
          with %s
          select lane_id, sequence from head
        ) h
        join delivery d on d.lane_id = h.lane_id and d.sequence = h.sequence
        %s
        join subscription s on s.pk = d.subscription_pk
        """
            .formatted(SINCE, LaneHeads.WALK, LANE.formatted("h"));

    static final String ORDERED =
        """
        order by since, l.id
        limit cast(:most as bigint)
        """;

    private Sql() {}
  }
}
