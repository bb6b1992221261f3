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

  private static final String SAMPLE =
      """
      select clock_timestamp() as sampled_at, p.id, p.epoch,
        case when p.lease_until > clock_timestamp() then p.worker end as owner, p.acquired_at, p.renewed_at,
        coalesce(q.depth, 0) as depth, q.oldest_age, q.head_age, coalesce(q.keys, 0) as keys,
        coalesce(q.waiting, 0) as waiting, coalesce(q.held, 0) as held
      from partition p
      left join (
        select d.partition,
          count(*) as depth,
          extract(epoch from clock_timestamp() - min(d.enqueued_at))::double precision as oldest_age,
          extract(epoch from clock_timestamp() - min(d.first_attempt_at))::double precision as head_age,
          count(distinct coalesce(d.lane_id, -d.id)) as keys,
          count(*) filter (where d.next_attempt_at > clock_timestamp()) as waiting,
          count(distinct coalesce(d.lane_id, -d.id)) filter (where s.state = 'DISABLED') as held
        from delivery d
        join subscription s on s.pk = d.subscription_pk
        group by d.partition
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
            owner == null ? PartitionLag.State.UNOWNED : PartitionLag.State.ACTIVE,
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
