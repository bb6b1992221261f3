package dev.seriatim.queue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * What of the queue is held, for the owners: lanes that were held, resumed or otherwise changed by
 * hand, and paused partitions. Thread-safe; every call is one statement and blocks for it.
 */
@Component
public class Holds {

  /**
   * A lane that is to be read again.
   *
   * @param partition where its deliveries are; null when none is left
   * @param tx the transaction of the change
   */
  public record ChangedLane(long lane, @Nullable Integer partition, long tx) {}

  /**
   * What is different.
   *
   * @param lanes may name a change again that was named before
   * @param paused all partitions that are paused
   * @param snapshotXmin to ask with next time
   */
  public record Changes(List<ChangedLane> lanes, Set<Integer> paused, long snapshotXmin) {}

  // The snapshot whose xmin is answered is the one that this very statement reads with: what it
  // does not see yet has a transaction at or above that xmin.
  private static final String CHANGED =
      """
      select s.xmin, s.paused, c.lane_id, c.tx, c.partition
      from (
        select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin,
          array(select id from partition where paused_at is not null) as paused
      ) s
      left join (
        select l.id as lane_id, l.changed_tx::text::bigint as tx, q.partition
        from lane l
        left join lateral (
          select case when d.partition < 0 then ~d.partition else d.partition end as partition
          from delivery d where d.lane_id = l.id order by d.sequence limit 1
        ) q on true
        where l.changed_tx >= cast(:since as text)::xid8
      ) c on true
      """;

  private static final String PAUSED =
      "select paused_at is not null from partition where id = :partition";

  private final JdbcClient jdbc;

  Holds(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * What changed since an earlier call, without missing a change that commits late.
   *
   * @param snapshotXmin {@link Changes#snapshotXmin()} of the earlier call; null to begin, which
   *     names no lane: begin before the first lane is read
   */
  public Changes changedSince(@Nullable Long snapshotXmin) {
    List<ChangedLane> lanes = new ArrayList<>();
    Set<Integer> paused = new HashSet<>();
    long[] xmin = new long[1];
    jdbc.sql(CHANGED)
        .param("since", snapshotXmin == null ? null : Long.toUnsignedString(snapshotXmin))
        .query(
            row -> {
              xmin[0] = row.getLong("xmin");
              paused.addAll(List.of((Integer[]) row.getArray("paused").getArray()));
              if (row.getObject("lane_id") != null) {
                lanes.add(
                    new ChangedLane(
                        row.getLong("lane_id"),
                        row.getObject("partition", Integer.class),
                        row.getLong("tx")));
              }
            });
    return new Changes(lanes, paused, xmin[0]);
  }

  /** Whether nothing of the partition is to be sent, as of now. */
  public boolean paused(int partition) {
    return jdbc.sql(PAUSED).param("partition", partition).query(Boolean.class).single();
  }
}
