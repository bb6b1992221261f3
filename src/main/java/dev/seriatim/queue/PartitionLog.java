package dev.seriatim.queue;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reads the queue of a partition: in commit order by place, or a lane in sequence. Needs a lease,
 * because only an owner has any business with it. Thread-safe; every call is one statement and
 * blocks for it.
 */
@Component
public class PartitionLog {

  /**
   * A read by place.
   *
   * @param deliveries in the order of their places, without content
   * @param xmin every transaction below this was decided when the read began: what of them is to be
   *     seen was to be seen
   */
  public record Page(List<Delivery> deliveries, long xmin) {}

  /**
   * What stands in a lane.
   *
   * @param held whether nothing of it is to be sent
   * @param aside whether any of the rows stands aside
   * @param rows in sequence, with their content where it is small; at least one
   */
  public record LaneRows(boolean held, boolean aside, List<Delivery> rows) {}

  /** Which rows of a lane are asked for: those from this sequence on. */
  public record LaneFrom(long laneId, long sequence) {}

  // Payloads up to this size come along with a lane's rows. PostgreSQL keeps rows up to about this
  // size in one piece, so
  // that reading them costs nothing extra; larger ones are read when they are sent.
  private static final int INLINE_BYTES = 2000;

  /** Of a row of the queue under the alias {@code d}. */
  static final String COLUMNS =
      """
      d.tx::text::bigint as tx, d.id, d.lane_id, d.sequence, d.event_pk, d.subscription_pk, d.attempts,
      extract(epoch from d.next_attempt_at - clock_timestamp()) as due_in,
      extract(epoch from clock_timestamp() - d.first_attempt_at) as head_age,
      extract(epoch from clock_timestamp() - d.enqueued_at) as queued_age,
      d.own_wait_ms, d.replay
      """;

  private static final String PAGE =
      """
      select s.xmin, d.*
      from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin) s
      left join lateral (
        select %s
        from delivery d
        where d.partition = :partition
          and (d.tx, d.id) > (:tx::text::xid8, :id)
        order by d.tx, d.id
        limit :limit
      ) d on true
      """
          .formatted(COLUMNS);

  // All rows of the lane, wherever they stand: only the sequence and the lane's state count.
  private static final String LANES =
      """
      select d.*
      from unnest(:lanes::bigint[], :sequences::bigint[]) as wanted (lane_id, sequence)
      cross join lateral (
        select %s, d.partition < 0 as aside, l.state = 'HELD' as held,
          e.id as event_id, e.type, e.content_type, l.key, e.payload, %s
        from (
          select * from delivery d
          where d.lane_id = wanted.lane_id and d.sequence >= wanted.sequence
          order by d.sequence
          limit :limit
        ) d
        join lane l on l.id = d.lane_id
        left join event e on e.pk = d.event_pk and octet_length(e.payload) <= :inline
      ) d
      order by d.lane_id, d.sequence
      """
          .formatted(COLUMNS, EventTrace.COLUMNS);

  // By the index of failing heads.
  private static final String BLOCKING =
      """
      select %s
      from delivery d
      join subscription s on s.pk = d.subscription_pk
      left join lane l on l.id = d.lane_id
      where d.partition = :partition and d.first_attempt_at is not null
        and s.blocks = 'PARTITION' and s.state = 'ENABLED' and coalesce(l.state, 'ACTIVE') = 'ACTIVE'
      """
          .formatted(COLUMNS);

  private static final String NEWS =
      """
      select q.partition
      from unnest(:partitions::integer[], :txs::xid8[], :ids::bigint[]) as q (partition, tx, id)
      where exists (
        select from delivery d where d.partition = q.partition and (d.tx, d.id) > (q.tx, q.id))
      """;

  private final JdbcClient jdbc;
  private final MonotonicClock clock;

  PartitionLog(JdbcClient jdbc, MonotonicClock clock) {
    this.jdbc = jdbc;
    this.clock = clock;
  }

  /** The rows of the partition behind a place. */
  public Page page(PartitionLease lease, Place after, int limit) {
    long now = clock.nanos();
    List<Delivery> deliveries = new ArrayList<>();
    long[] xmin = new long[1];
    jdbc.sql(PAGE)
        .param("partition", lease.partition())
        .param("tx", after.tx())
        .param("id", after.id())
        .param("limit", limit)
        .query(
            row -> {
              xmin[0] = row.getLong("xmin");
              if (row.getObject("id") != null) {
                deliveries.add(delivery(row, now, null));
              }
            });
    return new Page(deliveries, xmin[0]);
  }

  /**
   * The rows of lanes from a sequence on, with their content where it is small.
   *
   * @param limit rows per lane
   * @return by lane; a lane without rows is missing
   */
  public Map<Long, LaneRows> lanes(PartitionLease lease, Collection<LaneFrom> wanted, int limit) {
    long now = clock.nanos();
    Map<Long, LaneRows> lanes = new LinkedHashMap<>();
    jdbc.sql(LANES)
        .param("lanes", SqlArray.of("bigint", wanted.stream().map(LaneFrom::laneId).toArray()))
        .param(
            "sequences", SqlArray.of("bigint", wanted.stream().map(LaneFrom::sequence).toArray()))
        .param("limit", limit)
        .param("inline", INLINE_BYTES)
        .query(
            row -> {
              long lane = row.getLong("lane_id");
              boolean aside = row.getBoolean("aside");
              LaneRows read = lanes.get(lane);
              if (read == null || (aside && !read.aside())) {
                List<Delivery> rows = read == null ? new ArrayList<>() : read.rows();
                read = new LaneRows(row.getBoolean("held"), aside, rows);
                lanes.put(lane, read);
              }
              read.rows().add(delivery(row, now, content(row)));
            });
    return lanes;
  }

  /**
   * Failing heads of the partition whose subscriptions let nothing else of it be sent meanwhile; in
   * no order.
   */
  public List<Delivery> blocking(PartitionLease lease) {
    return jdbc.sql(BLOCKING)
        .param("partition", lease.partition())
        .query((row, number) -> delivery(row))
        .list();
  }

  /** Which of the partitions have rows behind the place given for each; one statement for all. */
  public List<Integer> news(Map<Integer, Place> places) {
    return jdbc.sql(NEWS)
        .param("partitions", SqlArray.of("integer", places.keySet().toArray()))
        .param(
            "txs",
            SqlArray.of(
                "xid8",
                places.values().stream().map(place -> Long.toUnsignedString(place.tx())).toArray()))
        .param("ids", SqlArray.of("bigint", places.values().stream().map(Place::id).toArray()))
        .query((row, number) -> row.getInt("partition"))
        .list();
  }

  private static @Nullable DeliveryContent content(ResultSet row) throws SQLException {
    byte[] payload = row.getBytes("payload");
    return payload == null
        ? null
        : new DeliveryContent(
            row.getString("event_id"),
            row.getString("type"),
            row.getString("content_type"),
            row.getString("key"),
            payload,
            EventTrace.read(row));
  }

  /** Reads a row of {@link #COLUMNS}. */
  Delivery delivery(ResultSet row) throws SQLException {
    return delivery(row, clock.nanos(), null);
  }

  /** Times come from the database as durations, so that no two clocks are ever compared. */
  private static Delivery delivery(ResultSet row, long now, @Nullable DeliveryContent content)
      throws SQLException {
    double dueIn = row.getDouble("due_in");
    double headAge = row.getDouble("head_age");
    Long headSince = row.wasNull() ? null : now - nanos(headAge);
    // From the end of the wait, so that one that an earlier version wrote is not taken for shorter.
    long due = nanos(dueIn);
    long wait = row.getLong("own_wait_ms");
    Long failedAt = row.wasNull() ? null : now + due - TimeUnit.MILLISECONDS.toNanos(wait);
    String replay = row.getString("replay");
    return new Delivery(
        row.getLong("tx"),
        row.getLong("id"),
        row.getLong("lane_id"),
        row.getLong("sequence"),
        row.getLong("event_pk"),
        row.getLong("subscription_pk"),
        row.getInt("attempts"),
        now + Math.max(0, due),
        now - nanos(row.getDouble("queued_age")),
        headSince,
        failedAt,
        replay == null ? null : Replay.valueOf(replay),
        content);
  }

  private static long nanos(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }
}
