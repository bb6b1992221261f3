package dev.seriatim.operations;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Counts the queue of the whole cluster, for all pods. Reads an index entry per delivery and three
 * rows per lane, and no row of the queue but the heads. Thread-safe; blocks for one statement.
 */
@Component
class QueueCounts {

  /** In one partition. */
  static final int MOST_DEEP = 1_000_000;

  /** In the cluster. */
  static final int MOST_LANES = 100_000;

  // place    What is to be sent, and what stands aside.
  // offset 0  One look for each lane, whatever the planner believes of the states of lanes.
  private static final String COUNT =
      """
      with %s, lanes as materialized (
        select case when d.partition < 0 then ~d.partition else d.partition end as partition,
          case when l.state = 'HELD' or s.state = 'DISABLED' then 'HELD'
               when d.first_attempt_at is not null then 'WAITING'
               else 'ACTIVE' end as state
        from (select lane_id, sequence from head limit :lanes) h
        cross join lateral (
          select partition, subscription_pk, first_attempt_at
          from delivery
          where lane_id = h.lane_id and sequence = h.sequence
          offset 0
        ) d
        cross join lateral (select state from lane where id = h.lane_id offset 0) l
        cross join lateral (select state from subscription where pk = d.subscription_pk offset 0) s
      ), by_state as materialized (
        select partition,
          count(*) filter (where state = 'ACTIVE') as active,
          count(*) filter (where state = 'WAITING') as waiting,
          count(*) filter (where state = 'HELD') as held
        from lanes
        group by partition
      )
      insert into partition_count as c (partition, depth, active, waiting, held, counted_at)
      select p.id,
        (select count(*) from (select from delivery d where d.partition = p.id limit :depth) place)
          + (select count(*) from (select from delivery d where d.partition = ~p.id limit :depth) place),
        coalesce(s.active, 0), coalesce(s.waiting, 0), coalesce(s.held, 0), clock_timestamp()
      from partition p
      left join by_state s on s.partition = p.id
      order by p.id -- so that two who count never wait for each other in a circle
      on conflict (partition) do update
      set depth = excluded.depth, active = excluded.active, waiting = excluded.waiting, held = excluded.held,
          counted_at = excluded.counted_at
      """
          .formatted(LaneHeads.WALK.formatted(""));

  private final JdbcClient jdbc;

  QueueCounts(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Leaves the counts where {@link LagQuery} finds them. */
  void count() {
    jdbc.sql(COUNT).param("lanes", MOST_LANES).param("depth", MOST_DEEP).update();
  }
}
