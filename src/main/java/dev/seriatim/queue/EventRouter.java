package dev.seriatim.queue;

import dev.seriatim.partition.Partitioner;
import dev.seriatim.queue.LaneNumbers.Advanced;
import dev.seriatim.queue.LaneNumbers.LaneKey;
import dev.seriatim.subscription.SubscriptionDirectory;
import dev.seriatim.subscription.SubscriptionMatch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
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

  private record Match(NewEvent event, SubscriptionMatch subscription, @Nullable LaneKey lane) {}

  private final LaneNumbers lanes;
  private final SubscriptionDirectory subscriptions;
  private final Partitioner partitioner;
  private final QueueNumbers numbers;

  EventRouter(
      JdbcClient jdbc,
      SubscriptionDirectory subscriptions,
      Partitioner partitioner,
      QueueNumbers numbers) {
    this.lanes = new LaneNumbers(jdbc);
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
    Map<LaneKey, Advanced> advanced = advance(matches);
    List<Long> ids = numbers.reserve(matches.size());
    Map<EventKey, List<StoredRoute>> routes = new HashMap<>();
    for (int i = 0; i < matches.size(); i++) {
      Match match = matches.get(i);
      routes
          .computeIfAbsent(EventKey.of(match.event()), event -> new ArrayList<>())
          .add(route(match, ids.get(i), advanced));
    }
    return routes;
  }

  private StoredRoute route(Match match, long id, Map<LaneKey, Advanced> advanced) {
    SubscriptionMatch subscription = match.subscription();
    int partition =
        partitioner.partition(
            subscription.ordering().routingKey(subscription.tenant(), subscription.id()));
    LaneKey key = match.lane();
    if (key == null) {
      return new StoredRoute(id, subscription.pk(), subscription.id(), null, null, null, partition);
    }
    Advanced lane = Objects.requireNonNull(advanced.get(key));
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
    return LaneNumbers.key(
        subscription.ordering(),
        subscription.tenant(),
        subscription.pk(),
        subscription.id(),
        event.resource());
  }

  private Map<LaneKey, Advanced> advance(List<Match> matches) {
    SortedMap<LaneKey, Long> counts = LaneNumbers.counts();
    for (Match match : matches) {
      if (match.lane() != null) {
        counts.merge(match.lane(), 1L, Long::sum);
      }
    }
    return lanes.advance(counts);
  }
}
