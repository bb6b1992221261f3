package dev.seriatim.operations;

import dev.seriatim.partition.LeaseSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks at the whole cluster: who has each partition, how old its oldest delivery and its failing
 * head are, what others have counted and reported, which pods there are. Some index entries per
 * partition, however long the queue is. Thread-safe; each call is one statement and blocks for it.
 */
@Component
class LagQuery {

  // oldest   The first by place: places are given in the order of publishing.
  // failing  The first in each place that is not held; those that are mostly stand aside. A row
  // whose lane is
  //          ahead of it again because of a replay counts as well: it did fail.
  // a.epoch  What a former owner did says nothing any more.
  // workers  Once for all rows, like the columns of the cluster; sent with the first row only.
  private static final String SAMPLE =
      """
      select clock_timestamp() as sampled_at, %s,
        case when p.id = 0 then (
          select json_agg(json_build_object(
            'worker', w.id, 'startedAt', w.started_at, 'seenAt', w.seen_at,
            'crashDetection', case when w.lock is null then 'LEASE' else 'LOCK' end,
            'partitions', (select count(*) from partition o where o.worker = w.id and o.lease_until > clock_timestamp())
          ) order by w.id)
          from worker w
          where w.seen_at > clock_timestamp() - :ttl * interval '1 millisecond'
        ) end as workers,
        p.id, p.epoch, p.paused_reason, p.paused_at,
        case when p.lease_until > clock_timestamp() then p.worker end as owner, p.acquired_at, p.renewed_at,
        extract(epoch from clock_timestamp() - coalesce(p.lease_until, first.started_at))::double precision as unowned_for,
        extract(epoch from clock_timestamp() - oldest.enqueued_at)::double precision as oldest_age,
        extract(epoch from clock_timestamp() - failing.since)::double precision as head_age,
        coalesce(c.depth, 0) as depth, coalesce(c.active, 0) as active, coalesce(c.waiting, 0) as waiting,
        coalesce(c.held, 0) as held, c.counted_at,
        a.in_flight, a.delivered_per_second, a.error_verdict, a.error_status, a.error_at,
        (select s.id from subscription s where s.pk = a.error_subscription) as error_subscription
      from partition p
      cross join (select min(started_at) as started_at from worker) first
      left join lateral (
        select min(first.enqueued_at) as enqueued_at
        from unnest(array[p.id, ~p.id]) as place (id)
        cross join lateral (
          select d.enqueued_at from delivery d where d.partition = place.id order by d.tx, d.id limit 1
        ) first
      ) oldest on true
      left join lateral (
        select min(first.first_attempt_at) as since
        from unnest(array[p.id, ~p.id]) as place (id)
        cross join lateral (
          select d.first_attempt_at
          from delivery d
          left join lateral (select state from lane where id = d.lane_id offset 0) l on true
          cross join lateral (select state from subscription where pk = d.subscription_pk offset 0) s
          where d.partition = place.id and d.first_attempt_at is not null
            and l.state is distinct from 'HELD' and s.state <> 'DISABLED'
          order by d.first_attempt_at
          limit 1
        ) first
      ) failing on true
      left join partition_count c on c.partition = p.id
      left join partition_activity a on a.partition = p.id and a.epoch = p.epoch
      order by p.id
      """
          .formatted(ClusterQuery.COLUMNS);

  private final JdbcClient jdbc;
  private final JsonMapper mapper;
  private final long ttlMillis;

  LagQuery(JdbcClient jdbc, JsonMapper mapper, LeaseSettings leases) {
    this.jdbc = jdbc;
    this.mapper = mapper;
    this.ttlMillis = leases.ttl().toMillis();
  }

  /** As of one moment: partitions by number, pods by name. */
  PartitionLag sample() {
    return jdbc.sql(SAMPLE).param("ttl", ttlMillis).query(this::read);
  }

  private PartitionLag read(ResultSet row) throws SQLException {
    if (!row.next()) {
      throw new IllegalStateException("There are no partitions: the topology is not written yet");
    }
    Instant at = Rows.instant(row, "sampled_at");
    PartitionLag.Cluster cluster = ClusterQuery.read(row);
    List<PartitionLag.Worker> workers = workers(row.getString("workers"));
    List<PartitionLag.Partition> partitions = new ArrayList<>();
    do {
      partitions.add(partition(row));
    } while (row.next());
    return new PartitionLag(partitions.size(), at, cluster, workers, partitions);
  }

  private List<PartitionLag.Worker> workers(@Nullable String json) {
    return json == null ? List.of() : List.of(mapper.readValue(json, PartitionLag.Worker[].class));
  }

  private static PartitionLag.Partition partition(ResultSet row) throws SQLException {
    String owner = row.getString("owner");
    PartitionLag.Lanes lanes =
        new PartitionLag.Lanes(row.getLong("active"), row.getLong("waiting"), row.getLong("held"));
    return new PartitionLag.Partition(
        row.getInt("id"),
        PartitionLag.State.of(owner != null, row.getString("paused_reason") != null),
        row.getString("paused_reason"),
        Rows.instantOrNull(row, "paused_at"),
        owner,
        row.getLong("epoch"),
        owner == null ? null : Rows.instant(row, "acquired_at"),
        owner == null ? null : Rows.instantOrNull(row, "renewed_at"),
        owner == null ? row.getObject("unowned_for", Double.class) : null,
        row.getLong("depth"),
        row.getObject("oldest_age", Double.class),
        row.getObject("head_age", Double.class),
        lanes.active() + lanes.waiting() + lanes.held(),
        lanes,
        Rows.instantOrNull(row, "counted_at"),
        owner == null ? null : Rows.intOrNull(row, "in_flight"),
        owner == null ? null : row.getObject("delivered_per_second", Double.class),
        owner == null ? null : lastError(row));
  }

  private static PartitionLag.@Nullable LastError lastError(ResultSet row) throws SQLException {
    String verdict = row.getString("error_verdict");
    return verdict == null
        ? null
        : new PartitionLag.LastError(
            verdict,
            Rows.intOrNull(row, "error_status"),
            row.getString("error_subscription"),
            Rows.instant(row, "error_at"));
  }
}
