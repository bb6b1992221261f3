package dev.seriatim.queue;

import dev.seriatim.partition.PartitionLease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * The health of endpoints from owner to owner; writes are fenced by the lease. Each method is one
 * statement. Thread-safe; blocks on the database, which throws a {@link
 * org.springframework.dao.DataAccessException} when it is away: every write may be repeated.
 */
@Repository
public class EndpointLog {

  /** Rows of a partition that are looked through for those of one endpoint. */
  private static final int MOST_ROWS = 100_000;

  private static final String LOAD =
      """
      select subscription_pk, state, reason, failures, openings,
        cast(extract(epoch from until - clock_timestamp()) * 1000 as bigint) as wait_ms,
        cast(extract(epoch from clock_timestamp() - failing_since) * 1000 as bigint) as failing_ms
      from endpoint where subscription_pk = any(:pks)
      """;

  // well    Of whom nothing is known any more.
  // In the update: a moment that went to and fro between the clocks of database and pod is still
  // the same moment.
  private static final String WRITE =
      Fence.SQL
          + """
      item as (
        select * from unnest(:pks::bigint[], :states::text[], :reasons::text[], :waits::bigint[], :failings::bigint[],
            :failures::bigint[], :openings::integer[])
          as i (pk, state, reason, wait_ms, failing_ms, failures, openings)
      ), well as (
        delete from endpoint e using item i, fence f
        where e.subscription_pk = i.pk and i.state = 'CLOSED' and i.wait_ms is null and i.failing_ms is null
      ), ill as (
        insert into endpoint as e (subscription_pk, state, reason, until, failing_since, failures, openings)
        select i.pk, i.state, i.reason, clock_timestamp() + i.wait_ms * interval '1 millisecond',
          clock_timestamp() - i.failing_ms * interval '1 millisecond', i.failures, i.openings
        from item i, fence f
        where i.state <> 'CLOSED' or i.wait_ms is not null or i.failing_ms is not null
        on conflict (subscription_pk) do update set
          state = excluded.state, reason = excluded.reason, until = excluded.until,
          since = case when e.state = excluded.state then e.since else excluded.since end,
          failing_since = case
            when abs(extract(epoch from e.failing_since - excluded.failing_since)) < 1 then e.failing_since
            else excluded.failing_since end,
          failures = excluded.failures, openings = excluded.openings, updated_at = clock_timestamp()
      )
      select id from fence
      """;

  /** Also what stands aside; the limit bounds the read, however few rows are the endpoint's. */
  private static final String QUEUED =
      """
      select count(*) from (
        (select subscription_pk from delivery where partition = :partition limit :most)
        union all
        (select subscription_pk from delivery where partition = ~ :partition limit :most)) d
      where d.subscription_pk = :pk
      """;

  // enabled  Whoever disabled or deleted it before keeps the word.
  private static final String DISABLE =
      Fence.SQL
          + """
      disabled as (
        update subscription s
        set state = 'DISABLED', disabled_reason = :reason, updated_at = clock_timestamp(),
          changed_tx = pg_current_xact_id()
        from fence f
        where s.pk = :pk and s.state = 'ENABLED'
      )
      select id from fence
      """;

  private final JdbcClient jdbc;

  EndpointLog(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** What former owners left, by subscription; those of which nothing is known are left out. */
  public Map<Long, EndpointState> load(Collection<Long> subscriptionPks) {
    Map<Long, EndpointState> states = new HashMap<>();
    jdbc.sql(LOAD)
        .param("pks", subscriptionPks.toArray(Long[]::new))
        .query(
            row -> {
              states.put(row.getLong("subscription_pk"), state(row));
            });
    return states;
  }

  /** Leaves these states to the next owner. */
  public Settler.Outcome write(PartitionLease lease, Map<Long, EndpointState> states) {
    List<Map.Entry<Long, EndpointState>> items = List.copyOf(states.entrySet());
    List<EndpointState> values = items.stream().map(Map.Entry::getValue).toList();
    return Fence.outcome(
        Fence.statement(jdbc, WRITE, lease)
            .param("pks", SqlArray.of("bigint", items.stream().map(Map.Entry::getKey).toArray()))
            .param(
                "states",
                SqlArray.of(
                    "text",
                    values.stream().map(state -> state.open() ? "OPEN" : "CLOSED").toArray()))
            .param(
                "reasons",
                SqlArray.of("text", values.stream().map(EndpointState::reason).toArray()))
            .param(
                "waits",
                SqlArray.of(
                    "bigint", values.stream().map(state -> millis(state.shutFor())).toArray()))
            .param(
                "failings",
                SqlArray.of(
                    "bigint", values.stream().map(state -> millis(state.failingFor())).toArray()))
            .param(
                "failures",
                SqlArray.of("bigint", values.stream().map(EndpointState::failures).toArray()))
            .param(
                "openings",
                SqlArray.of("integer", values.stream().map(EndpointState::openings).toArray())));
  }

  /**
   * Deliveries queued for a subscription, held ones included, among the first 100,000 of its
   * partition.
   */
  public long queued(PartitionLease lease, long subscriptionPk) {
    return jdbc.sql(QUEUED)
        .param("partition", lease.partition())
        .param("pk", subscriptionPk)
        .param("most", MOST_ROWS)
        .query(Long.class)
        .single();
  }

  /** Disables a subscription unless it is already; what is queued for it is held. */
  public Settler.Outcome disable(PartitionLease lease, long subscriptionPk, String reason) {
    return Fence.outcome(
        Fence.statement(jdbc, DISABLE, lease).param("pk", subscriptionPk).param("reason", reason));
  }

  private static EndpointState state(ResultSet row) throws SQLException {
    return new EndpointState(
        row.getString("state").equals("OPEN"),
        row.getString("reason"),
        duration(row, "wait_ms"),
        duration(row, "failing_ms"),
        row.getLong("failures"),
        row.getInt("openings"));
  }

  private static @Nullable Duration duration(ResultSet row, String column) throws SQLException {
    long millis = row.getLong(column);
    return row.wasNull() ? null : Duration.ofMillis(millis);
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis();
  }
}
