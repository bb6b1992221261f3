package dev.seriatim.queue;

import dev.seriatim.partition.PartitionLease;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Moves rows aside, to {@code ~partition}, where no scan passes by them, and back. Each call is one
 * bounded statement, which a crash leaves done or undone.
 *
 * <p>Where a row stands decides nothing about its delivery: the states of its lane and its
 * subscription do. So a row that should stand aside and does not costs time only. One that stands
 * aside and should not would be lost sight of by the next owner: each move aside therefore locks
 * what it goes by, against being resumed or enabled at the same time, and each new owner looks
 * through what stands aside. One that comes back to a place that was read before would be lost
 * sight of as well: each is named to the owner. So only the owner moves rows by place or back, and
 * nobody can become it in the middle of that. Thread-safe.
 */
@Component
public class Aside {

  /**
   * One page of a pass over a partition.
   *
   * @param last the place to go on behind; null at the end
   * @param back what came back
   * @param subscriptions those of the rest: a change of them may be what it waits for
   * @param disabled which of these were disabled
   */
  public record Returned(
      @Nullable Place last, List<Delivery> back, List<Long> subscriptions, List<Long> disabled) {}

  /**
   * One piece of a lane.
   *
   * @param next the sequence to go on behind; empty at the end
   * @param back of what came back, the first of each subscription
   */
  public record LaneReturned(OptionalLong next, List<Delivery> back) {}

  // any (array[…])  Each row is found by its whole key, here and below. By d.partition >= 0 or
  // = :partition alone all of that side could be read; plain equality with the step makes the order
  // of the index worth a scan from end to end, beside each row of the step. Both happen where
  // statistics call the queue empty, as it was.

  // l  the lock: the lane cannot be resumed, and nothing be published into it, before this is done.
  // By its key alone: with the state, too, the index of all held lanes might be read instead.
  // step  By the lane itself, not by a join with it: a join would read all of the lane and sort it.
  private static final String LANE_ASIDE =
      """
      with l as materialized (
        select state from lane where id = :lane for share
      ), step as materialized (
        select d.partition, d.tx, d.id, d.sequence
        from delivery d
        where d.lane_id = :lane and d.sequence > :after
          and exists (select from l where l.state = 'HELD')
        order by d.sequence
        limit :limit
      ), moved as (
        update delivery d set partition = ~d.partition
        from step s
        where s.partition >= 0 and d.partition = any (array[s.partition]) and d.tx = s.tx and d.id = s.id
      )
      select max(sequence) from step having count(*) = :limit
      """;

  // free  After the limit, which so bounds what is looked at as well.
  private static final String LANE_BACK =
      Fence.SQL
          + """
      step as materialized (
        select d.partition, d.tx, d.id, d.sequence,
          (select s.state from subscription s where s.pk = d.subscription_pk) <> 'DISABLED' as free
        from delivery d
        where d.lane_id = :lane and d.sequence > :after
          and exists (select from lane l where l.id = :lane and l.state = 'ACTIVE')
          and exists (select from fence)
        order by d.sequence
        limit :limit
      ), moved as (
        update delivery d set partition = ~d.partition
        from step s
        where s.free and s.partition < 0 and d.partition = any (array[s.partition]) and d.tx = s.tx and d.id = s.id
        returning d.*
      )
      select last.next, d.*
      from (select case when count(*) = :limit then max(sequence) end as next from step) last
      left join (
        select distinct on (d.subscription_pk) %s from moved d order by d.subscription_pk, d.sequence
      ) d on true
      """
              .formatted(PartitionLog.COLUMNS);

  // s  the lock: the subscription cannot be enabled before this is done
  private static final String SUBSCRIPTION_ASIDE =
      Fence.SQL
          + """
      s as materialized (
        select pk from subscription where pk = :subscription and state = 'DISABLED' for share
      ), page as materialized (
        select d.partition, d.tx, d.id, d.subscription_pk
        from delivery d
        where d.partition = :partition and (d.tx, d.id) > (:tx::text::xid8, :id)
          and exists (select from s) and exists (select from fence)
        order by d.tx, d.id
        limit :limit
      ), moved as (
        update delivery d set partition = ~d.partition
        from page p join s on s.pk = p.subscription_pk
        where d.partition = any (array[p.partition]) and d.tx = p.tx and d.id = p.id
      )
      select tx::text::bigint as tx, id from (
        select tx, id, count(*) over () as rows from page order by tx desc, id desc limit 1) last
      where rows = :limit
      """;

  // free  Looked up row by row: a join could compare each row with each subscription.
  // DELETED  They come back as well: their owner cancels them.
  private static final String BACK =
      Fence.SQL
          + """
      page as materialized (
        select d.partition, d.tx, d.id, d.subscription_pk,
          case (select s.state from subscription s where s.pk = d.subscription_pk)
            when 'DELETED' then true
            when 'ENABLED' then coalesce((select l.state from lane l where l.id = d.lane_id), 'ACTIVE') = 'ACTIVE'
            else false
          end as free
        from delivery d
        where d.partition = ~:partition and (d.tx, d.id) > (:tx::text::xid8, :id)
          and exists (select from fence)
        order by d.tx, d.id
        limit :limit
      ), last as (
        select tx, id from page order by tx desc, id desc limit 1
      ), d as (
        update delivery d set partition = :partition
        from page p
        where p.free and d.partition = any (array[p.partition]) and d.tx = p.tx and d.id = p.id
        returning d.*
      ), rest as (
        select distinct subscription_pk from page where not free
      )
      select last.tx::text::bigint as last_tx, last.id as last_id,
        (select count(*) from page) = :limit as goes_on,
        array(select subscription_pk from rest) as subscriptions,
        array(select s.pk from rest r join subscription s on s.pk = r.subscription_pk
              where s.state = 'DISABLED') as disabled,
        d.*
      from last left join (select %s from d) d on true
      """
              .formatted(PartitionLog.COLUMNS);

  private final JdbcClient jdbc;
  private final PartitionLog log;

  Aside(JdbcClient jdbc, PartitionLog log) {
    this.jdbc = jdbc;
    this.log = log;
  }

  /**
   * Moves rows of a held lane aside; nothing when it is not held.
   *
   * @param after the sequence to go on behind, 0 to begin
   * @param limit rows looked at, at least 1
   * @return the sequence to go on behind; empty at the end
   */
  public OptionalLong laneAside(long lane, long after, int limit) {
    return jdbc.sql(LANE_ASIDE)
        .param("lane", lane)
        .param("after", after)
        .param("limit", limit)
        .query(Long.class)
        .optional()
        .map(OptionalLong::of)
        .orElseGet(OptionalLong::empty);
  }

  /** The same for the way back of a lane that is not held any more. */
  public LaneReturned laneBack(PartitionLease lease, long lane, long after, int limit) {
    List<Delivery> back = new ArrayList<>();
    OptionalLong[] next = {OptionalLong.empty()};
    Fence.statement(jdbc, LANE_BACK, lease)
        .param("lane", lane)
        .param("after", after)
        .param("limit", limit)
        .query(
            row -> {
              long last = row.getLong("next");
              if (!row.wasNull()) {
                next[0] = OptionalLong.of(last);
              }
              if (row.getObject("id") != null) {
                back.add(log.delivery(row));
              }
            });
    return new LaneReturned(next[0], back);
  }

  /**
   * Moves rows of a disabled subscription aside; nothing when it is not disabled.
   *
   * @param after the place to go on behind
   * @param limit rows looked at, at least 1
   * @return the place to go on behind; null at the end
   */
  public @Nullable Place subscriptionAside(PartitionLease lease, long pk, Place after, int limit) {
    return Fence.statement(jdbc, SUBSCRIPTION_ASIDE, lease)
        .param("subscription", pk)
        .param("tx", Long.toUnsignedString(after.tx()))
        .param("id", after.id())
        .param("limit", limit)
        .query((row, number) -> new Place(row.getLong("tx"), row.getLong("id")))
        .optional()
        .orElse(null);
  }

  /**
   * Brings back what stands aside in a partition without a reason.
   *
   * @param after the place to go on behind
   * @param limit rows looked at, at least 1
   */
  public Returned back(PartitionLease lease, Place after, int limit) {
    List<Delivery> back = new ArrayList<>();
    Place[] last = new Place[1];
    Set<Long> subscriptions = new HashSet<>();
    Set<Long> disabled = new HashSet<>();
    Fence.statement(jdbc, BACK, lease)
        .param("tx", Long.toUnsignedString(after.tx()))
        .param("id", after.id())
        .param("limit", limit)
        .query(
            row -> {
              if (row.getBoolean("goes_on")) {
                last[0] = new Place(row.getLong("last_tx"), row.getLong("last_id"));
              }
              subscriptions.addAll(List.of((Long[]) row.getArray("subscriptions").getArray()));
              disabled.addAll(List.of((Long[]) row.getArray("disabled").getArray()));
              if (row.getObject("id") != null) {
                back.add(log.delivery(row));
              }
            });
    return new Returned(last[0], back, List.copyOf(subscriptions), List.copyOf(disabled));
  }
}
