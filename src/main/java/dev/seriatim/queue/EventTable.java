package dev.seriatim.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;

/**
 * The rows of events and their deliveries, as the publish transaction reads and writes them.
 * Thread-safe.
 */
@Component
class EventTable {

  private static final String SELECT_KNOWN =
      """
      select e.tenant, e.id, e.fingerprint, e.deliveries::text as deliveries
      from unnest(:tenants::text[], :ids::text[]) as k (tenant, id)
      join event e on e.tenant = k.tenant and e.id = k.id
      """;

  // A conflict means that another pod stored the same id since SELECT_KNOWN looked: the caller
  // starts over.
  private static final String INSERT_EVENTS =
      """
      insert into event (pk, tenant, id, type, resource, content_type, payload, fingerprint, deliveries,
                         traceparent, tracestate)
      select e.pk, e.tenant, e.id, e.type, e.resource, e.content_type, e.payload, e.fingerprint, e.deliveries::jsonb,
        e.traceparent, e.tracestate
      from unnest(:pks::bigint[], :tenants::text[], :ids::text[], :types::text[], :resources::text[],
                  :contentTypes::text[], :payloads::bytea[], :fingerprints::bytea[], :deliveries::text[],
                  :traceparents::text[], :tracestates::text[])
        as e (pk, tenant, id, type, resource, content_type, payload, fingerprint, deliveries, traceparent, tracestate)
      on conflict (tenant, id) do nothing
      """;

  // What comes for a held lane stands aside from the beginning. This transaction has the lanes
  // locked: nobody can hold or resume one of them before its rows are to be seen.
  private static final String INSERT_DELIVERIES =
      """
      insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
      select case when l.state = 'HELD' then ~d.partition else d.partition end,
        d.id, d.lane_id, d.sequence, d.event_pk, d.subscription_pk
      from unnest(:partitions::integer[], :ids::bigint[], :lanes::bigint[], :sequences::bigint[],
                  :events::bigint[], :subscriptions::bigint[])
        as d (partition, id, lane_id, sequence, event_pk, subscription_pk)
      left join lane l on l.id = d.lane_id
      """;

  /** An event that is stored already. */
  @SuppressWarnings("ArrayRecordComponent") // a value from the database, compared by its parts
  record Known(byte[] fingerprint, List<StoredRoute> routes) {}

  private record Routed(long eventPk, StoredRoute route) {}

  private final JdbcClient jdbc;
  private final QueueNumbers numbers;

  EventTable(JdbcClient jdbc, QueueNumbers numbers) {
    this.jdbc = jdbc;
    this.numbers = numbers;
  }

  /** Those of the events that are stored already. */
  Map<EventKey, Known> known(Collection<NewEvent> events) {
    Map<EventKey, Known> known = new HashMap<>();
    jdbc.sql(SELECT_KNOWN)
        .param("tenants", array("text", events.stream().map(NewEvent::tenant).toArray()))
        .param("ids", array("text", events.stream().map(NewEvent::id).toArray()))
        .query(
            row -> {
              known.put(
                  new EventKey(row.getString("tenant"), row.getString("id")),
                  new Known(
                      row.getBytes("fingerprint"),
                      StoredRoute.fromJson(row.getString("deliveries"))));
            });
    return known;
  }

  /**
   * Writes events and their deliveries.
   *
   * @return false when another pod was faster with one of the ids: the transaction must be rolled
   *     back
   */
  boolean insert(Collection<NewEvent> events, Map<EventKey, List<StoredRoute>> routes) {
    List<NewEvent> sorted =
        events.stream()
            .sorted((a, b) -> EventKey.ORDER.compare(EventKey.of(a), EventKey.of(b)))
            .toList();
    List<Long> pks = numbers.reserve(sorted.size());
    if (insertEvents(sorted, pks, routes) < sorted.size()) {
      return false;
    }
    List<Routed> deliveries = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      for (StoredRoute route : routes.getOrDefault(EventKey.of(sorted.get(i)), List.of())) {
        deliveries.add(new Routed(pks.get(i), route));
      }
    }
    if (!deliveries.isEmpty()) {
      insertDeliveries(deliveries);
    }
    return true;
  }

  private int insertEvents(
      List<NewEvent> events, List<Long> pks, Map<EventKey, List<StoredRoute>> routes) {
    return jdbc.sql(INSERT_EVENTS)
        .param("pks", array("bigint", pks.toArray()))
        .param("tenants", array("text", events.stream().map(NewEvent::tenant).toArray()))
        .param("ids", array("text", events.stream().map(NewEvent::id).toArray()))
        .param("types", array("text", events.stream().map(NewEvent::type).toArray()))
        .param("resources", array("text", events.stream().map(NewEvent::resource).toArray()))
        .param("contentTypes", array("text", events.stream().map(NewEvent::contentType).toArray()))
        .param(
            "payloads",
            array("bytea", events.stream().map(NewEvent::payload).toArray(byte[][]::new)))
        .param(
            "fingerprints",
            array("bytea", events.stream().map(NewEvent::fingerprint).toArray(byte[][]::new)))
        .param(
            "deliveries",
            array(
                "text",
                events.stream()
                    .map(event -> routes.getOrDefault(EventKey.of(event), List.of()))
                    .map(StoredRoute::toJson)
                    .toArray()))
        .param("traceparents", traces(events, TraceContext::traceparent))
        .param("tracestates", traces(events, TraceContext::tracestate))
        .update();
  }

  private static SqlArrayValue traces(
      List<NewEvent> events, Function<TraceContext, @Nullable String> header) {
    return array(
        "text",
        events.stream()
            .map(event -> event.trace() == null ? null : header.apply(event.trace()))
            .toArray());
  }

  private void insertDeliveries(List<Routed> all) {
    jdbc.sql(INSERT_DELIVERIES)
        .param(
            "partitions", array("integer", all.stream().map(d -> d.route().partition()).toArray()))
        .param("ids", array("bigint", all.stream().map(d -> d.route().delivery()).toArray()))
        .param("lanes", array("bigint", all.stream().map(d -> d.route().lane()).toArray()))
        .param("sequences", array("bigint", all.stream().map(d -> d.route().sequence()).toArray()))
        .param("events", array("bigint", all.stream().map(Routed::eventPk).toArray()))
        .param("subscriptions", array("bigint", all.stream().map(d -> d.route().pk()).toArray()))
        .update();
  }

  private static SqlArrayValue array(String type, @Nullable Object[] values) {
    return SqlArray.of(type, values);
  }
}
