package dev.seriatim.operations;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Writes rows as publishing, settling and ejecting leave them. */
final class Fixture {

  private final JdbcClient jdbc;
  private long lastDelivery;

  Fixture(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void clear() {
    jdbc.sql(
            "truncate subscription, subscription_secret, event, lane, delivery, dead_letter, attempt, audit, endpoint, job")
        .update();
  }

  long subscription(String id, String tenant, String state) {
    return jdbc.sql(
            """
            insert into subscription (id, tenant, url, event_types, ordering, on_exhausted, blocks, max_attempts,
              initial_delay_ms, multiplier, max_delay_ms, jitter, max_age_ms, timeout_ms, max_in_flight, state)
            values (:id, :tenant, 'http://localhost', '{*}', 'SUBSCRIPTION', 'EJECT', 'LANE', 8,
              5000, 4, 36000000, 0.2, 259200000, 15000, 16, :state)
            returning pk""")
        .params(Map.of("id", id, "tenant", tenant, "state", state))
        .query(Long.class)
        .single();
  }

  long lane(String tenant, long subscription, String key) {
    return jdbc.sql(
            "insert into lane (tenant, subscription_pk, key) values (:tenant, :subscription, :key) returning id")
        .params(Map.of("tenant", tenant, "subscription", subscription, "key", key))
        .query(Long.class)
        .single();
  }

  long event(String tenant, String id, String deliveries) {
    return event(tenant, id, deliveries, "{\"n\": 1.0}".getBytes(StandardCharsets.UTF_8));
  }

  long event(String tenant, String id, String deliveries, byte[] payload) {
    return jdbc.sql(
            """
            insert into event (pk, tenant, id, type, content_type, payload, fingerprint, deliveries)
            values (nextval('queue_id'), :tenant, :id, 'order.paid', 'application/json', :payload, '', :deliveries::jsonb)
            returning pk""")
        .params(Map.of("tenant", tenant, "id", id, "deliveries", deliveries, "payload", payload))
        .query(Long.class)
        .single();
  }

  /** One entry of the deliveries of an event; of no lane when that is null. */
  static String entry(
      long delivery, long pk, String subscription, @Nullable Long lane, String key, long sequence) {
    String place =
        lane == null
            ? ""
            : "\"lane\":%d,\"key\":\"%s\",\"sequence\":%d,".formatted(lane, key, sequence);
    return "{\"delivery\":%d,\"pk\":%d,\"subscription\":\"%s\",%s\"partition\":5}"
        .formatted(delivery, pk, subscription, place);
  }

  long nextDelivery() {
    return ++lastDelivery;
  }

  /**
   * @param dueIn SQL interval until the next attempt, null before the first one
   */
  void queued(
      long event,
      long delivery,
      long subscription,
      @Nullable Long lane,
      @Nullable Long sequence,
      int attempts,
      @Nullable String dueIn) {
    jdbc.sql(
            """
            insert into delivery (partition, tx, id, lane_id, sequence, event_pk, subscription_pk, attempts,
              next_attempt_at, last_verdict)
            select 5, tx, :delivery, :lane::bigint, :sequence::bigint, pk, :subscription, :attempts,
              clock_timestamp() + :dueIn::interval, case when :attempts > 0 then 'SERVER_ERROR' end
            from event where pk = :event""")
        .param("delivery", delivery)
        .param("lane", lane)
        .param("sequence", sequence)
        .param("subscription", subscription)
        .param("attempts", attempts)
        .param("dueIn", dueIn)
        .param("event", event)
        .update();
  }

  void attempt(long event, long delivery, long subscription, int attempt, String verdict) {
    jdbc.sql(
            """
            insert into attempt (at, event_pk, subscription_pk, delivery_id, partition, epoch, worker, attempt, verdict,
              status, duration_ms, address, response_headers, response_body)
            values (clock_timestamp(), :event, :subscription, :delivery, 5, 1, 'pod', :attempt, :verdict,
              500, 1234, '127.0.0.1', 'a: b', :body)""")
        .param("event", event)
        .param("subscription", subscription)
        .param("delivery", delivery)
        .param("attempt", attempt)
        .param("verdict", verdict)
        .param("body", new byte[] {'n', 'o', 0, (byte) 0xFF})
        .update();
  }

  /** An attempt of a lane at a given time, of another delivery each. */
  void attempt(
      String at,
      long event,
      long subscription,
      @Nullable Long lane,
      @Nullable Long sequence,
      String verdict,
      byte @Nullable [] body) {
    jdbc.sql(
            """
            insert into attempt (at, event_pk, subscription_pk, delivery_id, lane_id, sequence, partition, epoch, worker,
              attempt, verdict, status, duration_ms, address, location, response_headers, response_body)
            values (:at::timestamptz, :event, :subscription, :delivery, :lane, :sequence, 5, 3, 'pod-a',
              2, :verdict, 302, 1234, '192.0.2.1', 'https://other.example/', 'a: b', :body)""")
        .param("at", at)
        .param("event", event)
        .param("subscription", subscription)
        .param("delivery", nextDelivery())
        .param("lane", lane)
        .param("sequence", sequence)
        .param("verdict", verdict)
        .param("body", body)
        .update();
  }

  long deadLetter(
      String tenant,
      long event,
      long delivery,
      long subscription,
      @Nullable Long lane,
      @Nullable Long sequence,
      String reason,
      String ejectedAt) {
    return jdbc.sql(
            """
            insert into dead_letter (tenant, subscription_pk, event_pk, delivery_id, lane_id, sequence, attempts, reason,
              last_verdict, enqueued_at, first_attempt_at, ejected_at)
            values (:tenant, :subscription, :event, :delivery, :lane, :sequence, 8, :reason,
              'TIMEOUT', timestamptz '2026-01-01 00:00Z', null, :at::timestamptz)
            returning id""")
        .param("tenant", tenant)
        .param("subscription", subscription)
        .param("event", event)
        .param("delivery", delivery)
        .param("lane", lane)
        .param("sequence", sequence)
        .param("reason", reason)
        .param("at", ejectedAt)
        .query(Long.class)
        .single();
  }
}
