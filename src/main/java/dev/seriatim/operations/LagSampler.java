package dev.seriatim.operations;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.partition.LeaseSettings;
import dev.seriatim.partition.MonotonicClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Counts the queue and the pods of the whole cluster in two statements, whichever pod is asked. The
 * count reads every queued row, so a sample serves all who ask within two seconds. Thread-safe;
 * blocks for two round trips, or for somebody else's.
 */
@Component
class LagSampler {

  private static final Duration FRESH = Duration.ofSeconds(2);

  // g   One row for each lane of a subscription, so that lanes are looked up once, not per
  // delivery.
  private static final String SAMPLE =
      """
      select clock_timestamp() as sampled_at, p.id, p.epoch, p.paused_reason, p.paused_at,
        case when p.lease_until > clock_timestamp() then p.worker end as owner, p.acquired_at, p.renewed_at,
        coalesce(q.depth, 0) as depth, q.oldest_age, q.head_age, coalesce(q.keys, 0) as keys,
        coalesce(q.waiting, 0) as waiting, coalesce(q.held, 0) as held
      from partition p
      left join (
        select g.partition,
          sum(g.depth)::bigint as depth,
          extract(epoch from clock_timestamp() - min(g.oldest))::double precision as oldest_age,
          extract(epoch from clock_timestamp() - min(g.failing))::double precision as head_age,
          count(distinct g.key) as keys,
          count(distinct g.key) filter (where g.waiting and s.state <> 'DISABLED' and l.state is distinct from 'HELD')
            as waiting,
          count(distinct g.key) filter (where s.state = 'DISABLED' or l.state = 'HELD') as held
        from (
          select case when d.partition < 0 then ~d.partition else d.partition end as partition,
            coalesce(d.lane_id, -d.id) as key, d.lane_id, d.subscription_pk,
            count(*) as depth, min(d.enqueued_at) as oldest, min(d.first_attempt_at) as failing,
            bool_or(d.next_attempt_at > clock_timestamp()) as waiting
          from delivery d
          group by 1, 2, 3, 4
        ) g
        join subscription s on s.pk = g.subscription_pk
        left join lane l on l.id = g.lane_id
        group by g.partition
      ) q on q.partition = p.id
      order by p.id
      """;

  private static final String WORKERS =
      """
      select w.id, w.started_at, w.seen_at, w.lock is not null as locked,
        count(p.id) filter (where p.lease_until > clock_timestamp()) as partitions
      from worker w
      left join partition p on p.worker = w.id
      where w.seen_at > clock_timestamp() - :ttl * interval '1 millisecond'
      group by w.id
      order by w.id
      """;

  private final JdbcClient jdbc;
  private final MonotonicClock clock;
  private final Duration ttl;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable PartitionLag last;

  @GuardedBy("lock")
  private long lastAt;

  LagSampler(JdbcClient jdbc, MonotonicClock clock, LeaseSettings leases) {
    this.jdbc = jdbc;
    this.clock = clock;
    this.ttl = leases.ttl();
  }

  PartitionLag sample() {
    lock.lock();
    try {
      PartitionLag known = last;
      if (known != null && clock.nanos() - lastAt < FRESH.toNanos()) {
        return known;
      }
      List<Sampled> rows = jdbc.sql(SAMPLE).query((row, number) -> read(row)).list();
      PartitionLag fresh =
          new PartitionLag(
              rows.size(),
              rows.getFirst().at(),
              workers(),
              rows.stream().map(Sampled::partition).toList());
      last = fresh;
      lastAt = clock.nanos();
      return fresh;
    } finally {
      lock.unlock();
    }
  }

  private List<PartitionLag.Worker> workers() {
    return jdbc.sql(WORKERS)
        .param("ttl", ttl.toMillis())
        .query(
            (row, number) ->
                new PartitionLag.Worker(
                    row.getString("id"),
                    Rows.instant(row, "started_at"),
                    Rows.instant(row, "seen_at"),
                    row.getBoolean("locked")
                        ? PartitionLag.CrashDetection.LOCK
                        : PartitionLag.CrashDetection.LEASE,
                    row.getLong("partitions")))
        .list();
  }

  private record Sampled(Instant at, PartitionLag.Partition partition) {}

  private static Sampled read(ResultSet row) throws SQLException {
    String owner = row.getString("owner");
    return new Sampled(
        Rows.instant(row, "sampled_at"),
        new PartitionLag.Partition(
            row.getInt("id"),
            PartitionLag.State.of(owner != null, row.getString("paused_reason") != null),
            row.getString("paused_reason"),
            Rows.instantOrNull(row, "paused_at"),
            owner,
            row.getLong("epoch"),
            owner == null ? null : Rows.instant(row, "acquired_at"),
            owner == null ? null : Rows.instantOrNull(row, "renewed_at"),
            row.getLong("depth"),
            row.getObject("oldest_age", Double.class),
            row.getObject("head_age", Double.class),
            row.getLong("keys"),
            new PartitionLag.Lanes(row.getLong("waiting"), row.getLong("held"))));
  }
}
