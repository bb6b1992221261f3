package dev.seriatim.operations;

import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lanes in all the states that they can be in. */
final class LaneRowsFixture {

  private static final int PARTITIONS = 8;

  private final JdbcClient jdbc;
  private final Fixture rows;

  LaneRowsFixture(JdbcClient jdbc) {
    this.jdbc = jdbc;
    this.rows = new Fixture(jdbc);
  }

  /** Nothing but partitions, which nobody owns. */
  void clear() {
    rows.clear();
    jdbc.sql("truncate partition").update();
    jdbc.sql("insert into partition (id) select generate_series(0, :last)")
        .param("last", PARTITIONS - 1)
        .update();
  }

  long subscription(String id) {
    return rows.subscription(id, "acme", "ENABLED");
  }

  /** A lane with deliveries 1 to {@code depth}, which nobody has attempted yet. */
  long lane(long subscription, String key, int depth) {
    long lane = rows.lane("acme", subscription, key);
    for (int sequence = 1; sequence <= depth; sequence++) {
      append(lane, subscription, sequence);
    }
    return lane;
  }

  /** A lane that subscriptions share. */
  long sharedLane(String key) {
    return jdbc.sql("insert into lane (tenant, key) values ('acme', :key) returning id")
        .param("key", key)
        .query(Long.class)
        .single();
  }

  void append(long lane, long subscription, long sequence) {
    long event = rows.event("acme", "e" + lane + "-" + sequence, "[]");
    rows.queued(event, rows.nextDelivery(), subscription, lane, sequence, 0, null);
    set("lane set last_sequence = greatest(last_sequence, " + sequence + ") where id = " + lane);
  }

  /** The first in line has failed three times, the first time so long ago, and waits an hour. */
  void failing(long lane, String ago) {
    jdbc.sql(
            """
            update delivery
            set attempts = 3, last_verdict = 'SERVER_ERROR', first_attempt_at = clock_timestamp() - :ago::interval,
              next_attempt_at = clock_timestamp() + interval '1 hour', own_wait_ms = 3600000
            where lane_id = :lane and sequence = (select min(sequence) from delivery where lane_id = :lane)
            """)
        .params(Map.of("lane", lane, "ago", ago))
        .update();
  }

  void held(long lane, String by, String ago) {
    jdbc.sql(
            """
            update lane
            set state = 'HELD', held_by = :by, reason = 'why', held_at = clock_timestamp() - :ago::interval
            where id = :lane
            """)
        .params(Map.of("lane", lane, "by", by, "ago", ago))
        .update();
  }

  /** Where the owner puts rows that are not to be sent. */
  void aside(long lane) {
    set("delivery set partition = ~partition where partition >= 0 and lane_id = " + lane);
  }

  /**
   * @param update what follows the word
   */
  void set(String update) {
    jdbc.sql("update " + update).update();
  }

  /**
   * @param of what follows {@code from}
   */
  int count(String of) {
    return jdbc.sql("select count(*) from " + of).query(Integer.class).single();
  }

  Map<String, Object> row(String select) {
    return jdbc.sql(select).query().singleRow();
  }
}
