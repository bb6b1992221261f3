package dev.seriatim.queue;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;

/**
 * Where owners leave what they are doing, for whichever pod is asked. Nothing is decided by it, so
 * nothing fences it. Thread-safe.
 */
@Component
public class ActivityLog {

  // where   What a former owner reports late does not hide what the present one has reported.
  private static final String REPORT =
      """
      insert into partition_activity as a (partition, epoch, in_flight, delivered_per_second, error_verdict, error_status,
          error_subscription, error_at, reported_at)
      select partition, epoch, in_flight, delivered_per_second, error_verdict, error_status, error_subscription,
        clock_timestamp() - error_ago_ms * interval '1 millisecond', clock_timestamp()
      from unnest(:partitions::integer[], :epochs::bigint[], :inFlight::integer[], :rates::double precision[],
          :verdicts::text[], :statuses::integer[], :subscriptions::bigint[], :agos::bigint[])
        as r (partition, epoch, in_flight, delivered_per_second, error_verdict, error_status, error_subscription, error_ago_ms)
      order by partition -- so that two reporters never wait for each other in a circle
      on conflict (partition) do update
      set epoch = excluded.epoch, in_flight = excluded.in_flight, delivered_per_second = excluded.delivered_per_second,
          error_verdict = excluded.error_verdict, error_status = excluded.error_status,
          error_subscription = excluded.error_subscription, error_at = excluded.error_at,
          reported_at = excluded.reported_at
      where a.epoch <= excluded.epoch
      """;

  private final JdbcClient jdbc;

  ActivityLog(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Takes the place of the last report on these partitions. Blocks for one statement. */
  public void report(List<PartitionActivity> activities) {
    jdbc.sql(REPORT)
        .param("partitions", array("integer", activities, one -> one.lease().partition()))
        .param("epochs", array("bigint", activities, one -> one.lease().epoch()))
        .param("inFlight", array("integer", activities, PartitionActivity::inFlight))
        .param(
            "rates", array("double precision", activities, PartitionActivity::deliveredPerSecond))
        .param("verdicts", errors("text", activities, error -> error.verdict().name()))
        .param("statuses", errors("integer", activities, PartitionActivity.Failure::status))
        .param(
            "subscriptions",
            errors("bigint", activities, PartitionActivity.Failure::subscriptionPk))
        .param("agos", errors("bigint", activities, error -> error.ago().toMillis()))
        .update();
  }

  private static SqlArrayValue errors(
      String type,
      List<PartitionActivity> activities,
      Function<PartitionActivity.Failure, @Nullable Object> value) {
    return array(
        type, activities, one -> one.lastError() == null ? null : value.apply(one.lastError()));
  }

  private static SqlArrayValue array(
      String type,
      List<PartitionActivity> activities,
      Function<PartitionActivity, @Nullable Object> value) {
    return SqlArray.of(type, activities.stream().map(value).toArray());
  }
}
