package dev.seriatim.queue;

import dev.seriatim.partition.PartitionLease;
import dev.seriatim.partition.WorkerName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;

/** The fenced writes of the drain side, each one statement and so one transaction. Thread-safe. */
@Component
class SettleWriter {

  private enum Action {
    DELIVERED,
    /** After the policy's own wait. */
    RETRY,
    /** After a wait that the receiver asked for. */
    RETRY_AS_ASKED,
    EJECT,
    PARK,
    PAUSE,
    DISABLE
  }

  private record Lease(int partition, long epoch) {
    static Lease of(PartitionLease lease) {
      return new Lease(lease.partition(), lease.epoch());
    }
  }

  // fence    Only what the writer still owns. The key lock waits for a claim that is under way and
  // then sees its epoch;
  //          a claim skips the row while this statement runs. Renewals do not conflict with it.
  // partition  The row may stand aside: its lane may have been held while it was under way. Also
  // keeps
  // the planner from reading the index in its order, see Aside.
  // removed, kept  Match nothing when the same settlement has been written before: a repeat changes
  // nothing.
  private static final String FENCED =
      """
      with item as materialized (
        select * from unnest(:partitions::integer[], :epochs::bigint[], :txs::xid8[], :ids::bigint[],
            :actions::text[], :attempts::integer[], :delays::bigint[], :reasons::text[], :verdicts::text[],
            :statuses::integer[], :durations::integer[], :addresses::text[], :locations::text[], :headers::text[],
            :bodies::bytea[])
          as i (partition, epoch, tx, id, action, attempt, delay_ms, reason, verdict, status, duration_ms, address,
                location, response_headers, response_body)
      ), fence as materialized (
        select p.id, p.epoch from partition p
        where (p.id, p.epoch) in (select partition, epoch from item)
        order by p.id
        for key share
      ), removed as (
        delete from delivery d
        using item i join fence f on f.id = i.partition and f.epoch = i.epoch
        where i.action in ('DELIVERED', 'EJECT')
          and d.partition = any (array[i.partition, ~i.partition]) and d.tx = i.tx and d.id = i.id
        returning i.*, d.event_pk, d.subscription_pk, d.lane_id, d.sequence, d.enqueued_at, d.first_attempt_at
      ),
      """;

  private static final String HISTORY_FROM =
      """
      history as (
        insert into attempt (event_pk, subscription_pk, delivery_id, lane_id, sequence, partition, epoch, worker,
            attempt, verdict, status, duration_ms, address, location, response_headers, response_body)
        select event_pk, subscription_pk, id, lane_id, sequence, partition, epoch, :worker,
            attempt, verdict, status, duration_ms, address, location, response_headers, response_body
        from\s""";

  private static final String OWNED = "select id as partition, epoch from fence\n";

  // Nearly every batch. The server sets up each part of a statement before it runs any, needed or
  // not, and the next of a lane waits for it.
  private static final String SETTLE_DELIVERED = FENCED + HISTORY_FROM + "removed)\n" + OWNED;

  private static final String SETTLE =
      FENCED
          + """
      to_hold as materialized (
        -- before their rows, as all others who change a lane by its rows lock them; and in the order in which publishers do
        select l.id
        from lane l
        where l.id in (
          select d.lane_id
          from item i join fence f on f.id = i.partition and f.epoch = i.epoch
          join delivery d on d.partition = any (array[f.id, ~f.id]) and d.tx = i.tx and d.id = i.id
          where i.action = 'PARK')
        order by l.tenant collate "C", l.subscription_pk nulls first, l.key collate "C"
        for no key update of l
      ), kept as (
        update delivery d
        set attempts = i.attempt,
            first_attempt_at = coalesce(d.first_attempt_at, clock_timestamp()),
            next_attempt_at = clock_timestamp() + i.delay_ms * interval '1 millisecond',
            own_wait_ms = case when i.action = 'RETRY' then i.delay_ms end,
            last_verdict = i.verdict
        from item i join fence f on f.id = i.partition and f.epoch = i.epoch
        where i.action in ('RETRY', 'RETRY_AS_ASKED', 'PARK', 'PAUSE', 'DISABLE')
          and d.partition = any (array[i.partition, ~i.partition]) and d.tx = i.tx and d.id = i.id
          and d.attempts < i.attempt
          and (select count(*) from to_hold) >= 0 -- has them locked first
        returning i.*, d.event_pk, d.subscription_pk, d.lane_id, d.sequence, d.enqueued_at, d.first_attempt_at
      ), touched as (
        select * from removed union all select * from kept
      ), ejected as (
        insert into dead_letter (tenant, subscription_pk, event_pk, delivery_id, lane_id, sequence, attempts, reason,
            last_verdict, enqueued_at, first_attempt_at)
        select s.tenant, r.subscription_pk, r.event_pk, r.id, r.lane_id, r.sequence, r.attempt, r.reason,
            r.verdict, r.enqueued_at, coalesce(r.first_attempt_at, clock_timestamp())
        from removed r join subscription s on s.pk = r.subscription_pk
        where r.action = 'EJECT'
      ), held as (
        update lane l
        set state = 'HELD', held_by = 'POLICY', reason = k.reason, held_at = clock_timestamp()
        from kept k
        where k.action = 'PARK' and l.id = k.lane_id and l.state = 'ACTIVE'
      ), paused as (
        update partition p
        set paused_at = clock_timestamp(), paused_reason = k.reason
        from (select distinct on (partition) partition, epoch, reason from kept where action = 'PAUSE'
              order by partition, id) k
        where p.id = k.partition and p.epoch = k.epoch and p.paused_at is null
      ), disabled as (
        update subscription s
        set state = 'DISABLED', disabled_reason = k.reason, updated_at = clock_timestamp(),
            changed_tx = pg_current_xact_id()
        from (select distinct subscription_pk, reason from kept where action = 'DISABLE') k
        where s.pk = k.subscription_pk and s.state = 'ENABLED'
      ),
      """
          + HISTORY_FROM
          + "touched)\n"
          + OWNED;

  // item  With the partition, so that each is looked up by its whole key: otherwise a queue that
  // was
  // empty when it was last analyzed is read from end to end, each row beside each item.
  private static final String CANCEL =
      Fence.SQL
          + """
      item as materialized (
        select f.id as partition, i.tx, i.id
        from fence f, unnest(:txs::xid8[], :ids::bigint[]) as i (tx, id)
      ), removed as (
        delete from delivery d
        using item i
        where d.partition = any (array[i.partition, ~i.partition]) and d.tx = i.tx and d.id = i.id
      )
      select id from fence
      """;

  private final JdbcClient jdbc;
  private final String worker;

  SettleWriter(JdbcClient jdbc, WorkerName worker) {
    this.jdbc = jdbc;
    this.worker = worker.value();
  }

  /**
   * @return one outcome per item, in order
   */
  List<Settler.Outcome> write(List<Settler.Item> items) {
    Set<Lease> owned = new HashSet<>();
    boolean allDelivered =
        items.stream().allMatch(item -> item.settlement() instanceof Settlement.Delivered);
    jdbc.sql(allDelivered ? SETTLE_DELIVERED : SETTLE)
        .param("partitions", array("integer", items, item -> item.lease().partition()))
        .param("epochs", array("bigint", items, item -> item.lease().epoch()))
        .param("txs", array("xid8", items, item -> Long.toUnsignedString(delivery(item).tx())))
        .param("ids", array("bigint", items, item -> delivery(item).id()))
        .param("actions", array("text", items, item -> action(item.settlement()).name()))
        .param("attempts", array("integer", items, item -> delivery(item).attempts() + 1))
        .param("delays", array("bigint", items, item -> delayMillis(item.settlement())))
        .param("reasons", array("text", items, item -> reason(item.settlement())))
        .param("verdicts", array("text", items, item -> exchange(item).verdict().code().name()))
        .param("statuses", array("integer", items, item -> exchange(item).verdict().status()))
        .param("durations", array("integer", items, SettleWriter::durationMillis))
        .param("addresses", array("text", items, item -> exchange(item).address()))
        .param("locations", array("text", items, item -> exchange(item).location()))
        .param("headers", array("text", items, item -> exchange(item).responseHeaders()))
        .param(
            "bodies",
            SqlArray.of(
                "bytea",
                items.stream().map(item -> exchange(item).responseBody()).toArray(byte[][]::new)))
        .param("worker", worker)
        .query(
            row -> {
              owned.add(new Lease(row.getInt("partition"), row.getLong("epoch")));
            });
    return items.stream()
        .map(
            item ->
                owned.contains(Lease.of(item.lease()))
                    ? Settler.Outcome.SETTLED
                    : Settler.Outcome.FENCED)
        .toList();
  }

  Settler.Outcome cancel(PartitionLease lease, List<Delivery> deliveries) {
    return Fence.outcome(
        Fence.statement(jdbc, CANCEL, lease)
            .param("txs", array("xid8", deliveries, row -> Long.toUnsignedString(row.tx())))
            .param("ids", array("bigint", deliveries, Delivery::id)));
  }

  private static Delivery delivery(Settler.Item item) {
    return item.settlement().delivery();
  }

  private static Exchange exchange(Settler.Item item) {
    return item.settlement().exchange();
  }

  private static int durationMillis(Settler.Item item) {
    return (int) Math.min(Integer.MAX_VALUE, exchange(item).took().toMillis());
  }

  private static Action action(Settlement settlement) {
    return switch (settlement) {
      case Settlement.Delivered delivered -> Action.DELIVERED;
      case Settlement.Retry retry -> retry.asked() ? Action.RETRY_AS_ASKED : Action.RETRY;
      case Settlement.Eject eject -> Action.EJECT;
      case Settlement.Park park -> Action.PARK;
      case Settlement.Pause pause -> Action.PAUSE;
      case Settlement.Disable disable -> Action.DISABLE;
    };
  }

  private static @Nullable String reason(Settlement settlement) {
    return switch (settlement) {
      case Settlement.Delivered delivered -> null;
      case Settlement.Retry retry -> null;
      case Settlement.Eject eject -> eject.reason().name();
      case Settlement.Park park -> park.reason();
      case Settlement.Pause pause -> pause.reason();
      case Settlement.Disable disable -> disable.reason();
    };
  }

  private static long delayMillis(Settlement settlement) {
    return settlement instanceof Settlement.Retry retry ? retry.delay().toMillis() : 0;
  }

  private static <T> SqlArrayValue array(
      String type, List<T> items, Function<T, @Nullable Object> value) {
    return SqlArray.of(type, items.stream().map(value).toArray());
  }
}
