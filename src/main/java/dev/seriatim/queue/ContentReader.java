package dev.seriatim.queue;

import io.micrometer.core.instrument.DistributionSummary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;

/**
 * Reads what is to be sent, right before it is sent, for all senders of this pod in shared
 * statements. Payloads are so in memory only while they are under way. Thread-safe; blocks for one
 * statement or two.
 */
@Component
public class ContentReader implements DisposableBean {

  private static final int MAX_BATCH = 100;

  private static final String SELECT =
      """
      select w.delivery_id, e.id, e.type, e.content_type, l.key, e.payload, %s
      from unnest(:deliveries::bigint[], :events::bigint[], :lanes::bigint[]) as w (delivery_id, event_pk, lane_id)
      join event e on e.pk = w.event_pk
      left join lane l on l.id = w.lane_id
      """
          .formatted(EventTrace.COLUMNS);

  private final JdbcClient jdbc;
  private final DistributionSummary batches;
  private final GroupCommit<Delivery, DeliveryContent> reads;

  ContentReader(JdbcClient jdbc, QueueMeters meters) {
    this.jdbc = jdbc;
    this.batches = meters.batches("content");
    this.reads =
        new GroupCommit<>(
            "content",
            this::readAll,
            delivery -> 1,
            MAX_BATCH,
            Integer.MAX_VALUE,
            Outage::is,
            waiting -> 0);
  }

  /** The content that came along with the delivery, or else from the database. */
  public DeliveryContent content(Delivery delivery) {
    DeliveryContent present = delivery.content();
    return present == null ? Waits.join(reads.submit(delivery)) : present;
  }

  @Override
  public void destroy() {
    reads.close();
  }

  private List<DeliveryContent> readAll(List<Delivery> deliveries) {
    batches.record(deliveries.size());
    Map<Long, DeliveryContent> found = new HashMap<>();
    jdbc.sql(SELECT)
        .param("deliveries", array(deliveries.stream().map(Delivery::id).toArray()))
        .param("events", array(deliveries.stream().map(Delivery::eventPk).toArray()))
        .param(
            "lanes",
            array(
                deliveries.stream()
                    .map(delivery -> delivery.ordered() ? (Long) delivery.laneId() : null)
                    .toArray()))
        .query(
            row -> {
              found.put(
                  row.getLong("delivery_id"),
                  new DeliveryContent(
                      row.getString("id"),
                      row.getString("type"),
                      row.getString("content_type"),
                      row.getString("key"),
                      row.getBytes("payload"),
                      EventTrace.read(row)));
            });
    return deliveries.stream().map(delivery -> required(found, delivery)).toList();
  }

  private static DeliveryContent required(Map<Long, DeliveryContent> found, Delivery delivery) {
    DeliveryContent content = found.get(delivery.id());
    if (content == null) {
      throw new IllegalStateException("the event of delivery " + delivery.id() + " is missing");
    }
    return content;
  }

  private static SqlArrayValue array(@Nullable Object[] values) {
    return SqlArray.of("bigint", values);
  }
}
