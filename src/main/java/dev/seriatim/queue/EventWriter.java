package dev.seriatim.queue;

import dev.seriatim.partition.Partitioner;
import dev.seriatim.subscription.SubscriptionDirectory;
import dev.seriatim.subscription.SubscriptionMatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The publish transaction: finds repeats, matches subscriptions, numbers the lanes, writes events
 * and deliveries. Thread-safe. Either all of a call is stored or nothing.
 */
@Component
class EventWriter {

  private static final String SELECT_KNOWN =
      """
      select e.tenant, e.id, e.fingerprint, e.deliveries::text as deliveries
      from unnest(:tenants::text[], :ids::text[]) as k (tenant, id)
      join event e on e.tenant = k.tenant and e.id = k.id
      """;

  private static final String RESERVE =
      "select nextval('queue_id') from generate_series(1, :count)";

  // The row lock that this takes on a lane until the commit makes commit order, sequence order and
  // delivery order the
  // same for the lane. The arrays come sorted, so that two transactions lock lanes in the same
  // order and cannot deadlock.
  private static final String ADVANCE_LANES =
      """
      insert into lane (tenant, subscription_pk, key, last_sequence)
      select * from unnest(:tenants::text[], :subscriptions::bigint[], :keys::text[], :counts::bigint[])
      on conflict (tenant, subscription_pk, key)
        do update set last_sequence = lane.last_sequence + excluded.last_sequence
      returning id, tenant, subscription_pk, key, last_sequence
      """;

  // A conflict means that another pod stored the same id since SELECT_KNOWN looked: the caller
  // starts over.
  private static final String INSERT_EVENTS =
      """
      insert into event (pk, tenant, id, type, resource, content_type, payload, fingerprint, deliveries)
      select e.pk, e.tenant, e.id, e.type, e.resource, e.content_type, e.payload, e.fingerprint, e.deliveries::jsonb
      from unnest(:pks::bigint[], :tenants::text[], :ids::text[], :types::text[], :resources::text[],
                  :contentTypes::text[], :payloads::bytea[], :fingerprints::bytea[], :deliveries::text[])
        as e (pk, tenant, id, type, resource, content_type, payload, fingerprint, deliveries)
      on conflict (tenant, id) do nothing
      """;

  private static final String INSERT_DELIVERIES =
      """
      insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
      select * from unnest(:partitions::integer[], :ids::bigint[], :lanes::bigint[], :sequences::bigint[],
                           :events::bigint[], :subscriptions::bigint[])
      """;

  private static final int MAX_TRIES = 10;

  private record EventKey(String tenant, String id) {}

  private record LaneKey(String tenant, @Nullable Long subscription, String key) {
    static final Comparator<LaneKey> ORDER =
        Comparator.comparing(LaneKey::tenant)
            .thenComparing(LaneKey::subscription, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(LaneKey::key);
  }

  private record Lane(long id, long lastSequence) {}

  private record Known(byte[] fingerprint, List<StoredRoute> routes) {}

  private final JdbcClient jdbc;
  private final TransactionOperations transaction;
  private final SubscriptionDirectory subscriptions;
  private final Partitioner partitioner;

  EventWriter(
      JdbcClient jdbc,
      TransactionOperations transaction,
      SubscriptionDirectory subscriptions,
      Partitioner partitioner) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.subscriptions = subscriptions;
    this.partitioner = partitioner;
  }

  /**
   * @return one result per event, in order
   */
  List<PublishResult> write(List<NewEvent> events) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      List<PublishResult> results =
          transaction.execute(
              status -> {
                List<PublishResult> written = tryWrite(events);
                if (written == null) {
                  status.setRollbackOnly();
                }
                return written;
              });
      if (results != null) {
        return results;
      }
    }
    throw new IllegalStateException(
        "the same events were published elsewhere at the same time, " + MAX_TRIES + " times over");
  }

  private @Nullable List<PublishResult> tryWrite(List<NewEvent> events) {
    Map<EventKey, Known> known = known(events);
    Map<EventKey, NewEvent> fresh = new LinkedHashMap<>();
    for (NewEvent event : events) {
      EventKey key = new EventKey(event.tenant(), event.id());
      if (!known.containsKey(key)) {
        fresh.putIfAbsent(key, event);
      }
    }
    Map<EventKey, List<StoredRoute>> routes = fresh.isEmpty() ? Map.of() : store(fresh);
    if (routes == null) {
      return null;
    }
    List<PublishResult> results = new ArrayList<>(events.size());
    Set<EventKey> answered = new HashSet<>();
    for (NewEvent event : events) {
      EventKey key = new EventKey(event.tenant(), event.id());
      NewEvent first = fresh.get(key);
      if (first != null && answered.add(key)) {
        results.add(accepted(key, false, routes.getOrDefault(key, List.of())));
      } else if (first != null) {
        results.add(repeat(key, event, first.fingerprint(), routes.getOrDefault(key, List.of())));
      } else {
        Known stored = Objects.requireNonNull(known.get(key));
        results.add(repeat(key, event, stored.fingerprint(), stored.routes()));
      }
    }
    return results;
  }

  private static PublishResult repeat(
      EventKey key, NewEvent event, byte[] fingerprint, List<StoredRoute> routes) {
    return Arrays.equals(fingerprint, event.fingerprint())
        ? accepted(key, true, routes)
        : new PublishResult.Conflict(key.tenant(), key.id());
  }

  private static PublishResult accepted(EventKey key, boolean duplicate, List<StoredRoute> routes) {
    return new PublishResult.Accepted(
        key.tenant(), key.id(), duplicate, routes.stream().map(StoredRoute::answer).toList());
  }

  private Map<EventKey, Known> known(List<NewEvent> events) {
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
   * @return the routes of each event, or null when another pod was faster with one of them
   */
  private @Nullable Map<EventKey, List<StoredRoute>> store(Map<EventKey, NewEvent> events) {
    Set<String> tenants =
        events.values().stream().map(NewEvent::tenant).collect(Collectors.toSet());
    // Inside the transaction: a subscription that was created a moment ago is never missed.
    Map<String, List<SubscriptionMatch>> enabled =
        subscriptions.enabledFor(tenants).stream()
            .collect(Collectors.groupingBy(SubscriptionMatch::tenant));
    Map<EventKey, List<SubscriptionMatch>> matches = new HashMap<>();
    TreeMap<LaneKey, Long> counts = new TreeMap<>(LaneKey.ORDER);
    int deliveries = 0;
    for (Map.Entry<EventKey, NewEvent> entry : events.entrySet()) {
      NewEvent event = entry.getValue();
      List<SubscriptionMatch> wanting =
          enabled.getOrDefault(event.tenant(), List.of()).stream()
              .filter(subscription -> subscription.wants(event.type()))
              .toList();
      matches.put(entry.getKey(), wanting);
      deliveries += wanting.size();
      for (SubscriptionMatch subscription : wanting) {
        LaneKey lane = laneKey(event, subscription);
        if (lane != null) {
          counts.merge(lane, 1L, Long::sum);
        }
      }
    }
    Iterator<Long> numbers = reserve(events.size() + deliveries).iterator();
    Map<LaneKey, Lane> lanes = advance(counts);
    Map<LaneKey, Long> last = new HashMap<>();
    lanes.forEach((key, lane) -> last.put(key, lane.lastSequence() - count(counts, key)));
    Map<EventKey, List<StoredRoute>> routes = new HashMap<>();
    for (Map.Entry<EventKey, NewEvent> entry : events.entrySet()) {
      List<StoredRoute> own = new ArrayList<>();
      for (SubscriptionMatch subscription : matches.getOrDefault(entry.getKey(), List.of())) {
        LaneKey key = laneKey(entry.getValue(), subscription);
        Lane lane = key == null ? null : lanes.get(key);
        own.add(
            new StoredRoute(
                numbers.next(),
                subscription.pk(),
                subscription.id(),
                lane == null ? null : lane.id(),
                key == null ? null : key.key(),
                key == null ? null : last.merge(key, 1L, Long::sum),
                partitioner.partition(
                    subscription
                        .ordering()
                        .routingKey(entry.getKey().tenant(), subscription.id()))));
      }
      routes.put(entry.getKey(), own);
    }
    return insert(events, routes, numbers) ? routes : null;
  }

  private static long count(Map<LaneKey, Long> counts, LaneKey key) {
    return counts.getOrDefault(key, 0L);
  }

  private static @Nullable LaneKey laneKey(NewEvent event, SubscriptionMatch subscription) {
    String key = subscription.ordering().key(event.tenant(), subscription.id(), event.resource());
    if (key == null) {
      return null;
    }
    return new LaneKey(
        event.tenant(), subscription.ordering().sharedByTenant() ? null : subscription.pk(), key);
  }

  private List<Long> reserve(int count) {
    return jdbc.sql(RESERVE).param("count", count).query((row, number) -> row.getLong(1)).list();
  }

  private Map<LaneKey, Lane> advance(TreeMap<LaneKey, Long> counts) {
    Map<LaneKey, Lane> lanes = new HashMap<>();
    if (counts.isEmpty()) {
      return lanes;
    }
    jdbc.sql(ADVANCE_LANES)
        .param("tenants", array("text", counts.keySet().stream().map(LaneKey::tenant).toArray()))
        .param(
            "subscriptions",
            array("bigint", counts.keySet().stream().map(LaneKey::subscription).toArray()))
        .param("keys", array("text", counts.keySet().stream().map(LaneKey::key).toArray()))
        .param("counts", array("bigint", counts.values().toArray()))
        .query(
            row -> {
              lanes.put(
                  new LaneKey(
                      row.getString("tenant"),
                      row.getObject("subscription_pk", Long.class),
                      row.getString("key")),
                  new Lane(row.getLong("id"), row.getLong("last_sequence")));
            });
    return lanes;
  }

  private boolean insert(
      Map<EventKey, NewEvent> events,
      Map<EventKey, List<StoredRoute>> routes,
      Iterator<Long> numbers) {
    // Sorted, for the same reason as the lanes: two pods that store the same ids wait for each
    // other, not in a circle.
    List<EventKey> order =
        events.keySet().stream()
            .sorted(Comparator.comparing(EventKey::tenant).thenComparing(EventKey::id))
            .toList();
    Map<EventKey, Long> pks = new HashMap<>();
    order.forEach(key -> pks.put(key, numbers.next()));
    List<NewEvent> sorted = order.stream().map(key -> event(events, key)).toList();
    int inserted =
        jdbc.sql(INSERT_EVENTS)
            .param("pks", array("bigint", order.stream().map(pks::get).toArray()))
            .param("tenants", array("text", sorted.stream().map(NewEvent::tenant).toArray()))
            .param("ids", array("text", sorted.stream().map(NewEvent::id).toArray()))
            .param("types", array("text", sorted.stream().map(NewEvent::type).toArray()))
            .param("resources", array("text", sorted.stream().map(NewEvent::resource).toArray()))
            .param(
                "contentTypes", array("text", sorted.stream().map(NewEvent::contentType).toArray()))
            .param(
                "payloads",
                array("bytea", sorted.stream().map(NewEvent::payload).toArray(byte[][]::new)))
            .param(
                "fingerprints",
                array("bytea", sorted.stream().map(NewEvent::fingerprint).toArray(byte[][]::new)))
            .param(
                "deliveries",
                array(
                    "text",
                    order.stream()
                        .map(key -> StoredRoute.toJson(routes.getOrDefault(key, List.of())))
                        .toArray()))
            .update();
    if (inserted < events.size()) {
      return false;
    }
    insertDeliveries(events.keySet(), routes, pks);
    return true;
  }

  private static NewEvent event(Map<EventKey, NewEvent> events, EventKey key) {
    return Objects.requireNonNull(events.get(key));
  }

  private void insertDeliveries(
      Set<EventKey> order, Map<EventKey, List<StoredRoute>> routes, Map<EventKey, Long> pks) {
    List<StoredRoute> all = new ArrayList<>();
    List<@Nullable Long> events = new ArrayList<>();
    for (EventKey key : order) {
      for (StoredRoute route : routes.getOrDefault(key, List.of())) {
        all.add(route);
        events.add(pks.get(key));
      }
    }
    if (all.isEmpty()) {
      return;
    }
    jdbc.sql(INSERT_DELIVERIES)
        .param("partitions", array("integer", all.stream().map(StoredRoute::partition).toArray()))
        .param("ids", array("bigint", all.stream().map(StoredRoute::delivery).toArray()))
        .param("lanes", array("bigint", all.stream().map(StoredRoute::lane).toArray()))
        .param("sequences", array("bigint", all.stream().map(StoredRoute::sequence).toArray()))
        .param("events", array("bigint", events.toArray()))
        .param("subscriptions", array("bigint", all.stream().map(StoredRoute::pk).toArray()))
        .update();
  }

  private static SqlArrayValue array(String type, @Nullable Object[] values) {
    return SqlArray.of(type, values);
  }
}
