package dev.seriatim.queue;

import dev.seriatim.partition.Partitioner;
import dev.seriatim.subscription.SubscriptionDirectory;
import dev.seriatim.subscription.SubscriptionMatch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Finds who wants new events and gives each delivery its lane and sequence. Part of the publish
 * transaction: the lanes stay locked until its end. Thread-safe.
 */
@Component
class EventRouter {

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

  private record LaneKey(String tenant, @Nullable Long subscription, String key) {
    static final Comparator<LaneKey> ORDER =
        Comparator.comparing(LaneKey::tenant)
            .thenComparing(LaneKey::subscription, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(LaneKey::key);
  }

  /** A lane of which this transaction hands out the sequences up to its last one. */
  private static final class Advanced {
    final long id;
    long next;

    Advanced(long id, long next) {
      this.id = id;
      this.next = next;
    }
  }

  private record Match(NewEvent event, SubscriptionMatch subscription, @Nullable LaneKey lane) {}

  private final JdbcClient jdbc;
  private final SubscriptionDirectory subscriptions;
  private final Partitioner partitioner;
  private final QueueNumbers numbers;

  EventRouter(
      JdbcClient jdbc,
      SubscriptionDirectory subscriptions,
      Partitioner partitioner,
      QueueNumbers numbers) {
    this.jdbc = jdbc;
    this.subscriptions = subscriptions;
    this.partitioner = partitioner;
    this.numbers = numbers;
  }

  /**
   * @return the deliveries of each event, in the order of the events; an event that nobody wants is
   *     missing
   */
  Map<EventKey, List<StoredRoute>> route(Collection<NewEvent> events) {
    List<Match> matches = match(events);
    Map<LaneKey, Advanced> lanes = advance(matches);
    List<Long> ids = numbers.reserve(matches.size());
    Map<EventKey, List<StoredRoute>> routes = new HashMap<>();
    for (int i = 0; i < matches.size(); i++) {
      Match match = matches.get(i);
      routes
          .computeIfAbsent(EventKey.of(match.event()), event -> new ArrayList<>())
          .add(route(match, ids.get(i), lanes));
    }
    return routes;
  }

  private StoredRoute route(Match match, long id, Map<LaneKey, Advanced> lanes) {
    SubscriptionMatch subscription = match.subscription();
    int partition =
        partitioner.partition(
            subscription.ordering().routingKey(subscription.tenant(), subscription.id()));
    LaneKey key = match.lane();
    if (key == null) {
      return new StoredRoute(id, subscription.pk(), subscription.id(), null, null, null, partition);
    }
    Advanced lane = Objects.requireNonNull(lanes.get(key));
    return new StoredRoute(
        id, subscription.pk(), subscription.id(), lane.id, key.key(), lane.next++, partition);
  }

  private List<Match> match(Collection<NewEvent> events) {
    // Inside the transaction: a subscription that was created a moment ago is never missed.
    Map<String, List<SubscriptionMatch>> enabled =
        subscriptions
            .enabledFor(events.stream().map(NewEvent::tenant).collect(Collectors.toSet()))
            .stream()
            .collect(Collectors.groupingBy(SubscriptionMatch::tenant));
    List<Match> matches = new ArrayList<>();
    for (NewEvent event : events) {
      for (SubscriptionMatch subscription : enabled.getOrDefault(event.tenant(), List.of())) {
        if (subscription.wants(event.type())) {
          matches.add(new Match(event, subscription, laneKey(event, subscription)));
        }
      }
    }
    return matches;
  }

  private static @Nullable LaneKey laneKey(NewEvent event, SubscriptionMatch subscription) {
    String key = subscription.ordering().key(event.tenant(), subscription.id(), event.resource());
    return key == null
        ? null
        : new LaneKey(
            event.tenant(),
            subscription.ordering().sharedByTenant() ? null : subscription.pk(),
            key);
  }

  private Map<LaneKey, Advanced> advance(List<Match> matches) {
    TreeMap<LaneKey, Long> counts = new TreeMap<>(LaneKey.ORDER);
    for (Match match : matches) {
      if (match.lane() != null) {
        counts.merge(match.lane(), 1L, Long::sum);
      }
    }
    Map<LaneKey, Advanced> lanes = new HashMap<>();
    if (counts.isEmpty()) {
      return lanes;
    }
    Collection<LaneKey> keys = counts.keySet();
    jdbc.sql(ADVANCE_LANES)
        .param("tenants", SqlArray.of("text", keys.stream().map(LaneKey::tenant).toArray()))
        .param(
            "subscriptions",
            SqlArray.of("bigint", keys.stream().map(LaneKey::subscription).toArray()))
        .param("keys", SqlArray.of("text", keys.stream().map(LaneKey::key).toArray()))
        .param("counts", SqlArray.of("bigint", counts.values().toArray()))
        .query(
            row -> {
              LaneKey key =
                  new LaneKey(
                      row.getString("tenant"),
                      row.getObject("subscription_pk", Long.class),
                      row.getString("key"));
              long first = row.getLong("last_sequence") - counts.getOrDefault(key, 0L) + 1;
              lanes.put(key, new Advanced(row.getLong("id"), first));
            });
    return lanes;
  }
}
