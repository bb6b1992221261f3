package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import dev.seriatim.operations.RedeliveredEvent.Outcome;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.Replays;
import dev.seriatim.queue.Returning;
import dev.seriatim.queue.StoredRoute;
import dev.seriatim.queue.WakeUps;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.Subscription.State;
import dev.seriatim.subscription.SubscriptionDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Has one event delivered again, at once. Thread-safe; blocks on the database. */
@Component
class EventRedelivery {

  private static final String EVENT =
      "select pk, resource, deliveries from event where tenant = :tenant and id = :id";

  private record Event(long pk, @Nullable String resource, String deliveries) {}

  /** A delivery and how it is to come back; null for a subscription that was deleted. */
  private record Wish(
      String subscription,
      @Nullable String key,
      @Nullable Long sequence,
      @Nullable Returning returning) {}

  private record Change(RedeliveredEvent answer, Set<Integer> partitions) {}

  private final JdbcClient jdbc;
  private final Repeatable transaction;
  private final SubscriptionDirectory subscriptions;
  private final SubscriptionNames names;
  private final Replays replays;
  private final Audit audit;
  private final WakeUps wakeUps;

  EventRedelivery(
      JdbcClient jdbc,
      Repeatable transaction,
      SubscriptionDirectory subscriptions,
      SubscriptionNames names,
      Replays replays,
      Audit audit,
      WakeUps wakeUps) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.subscriptions = subscriptions;
    this.names = names;
    this.replays = replays;
    this.audit = audit;
    this.wakeUps = wakeUps;
  }

  /**
   * @param subscription the id of the only one; null for all that the event was for
   */
  RedeliveredEvent redeliver(String tenant, String id, @Nullable String subscription, Replay as) {
    Change change = transaction.execute(() -> inTransaction(tenant, id, subscription, as));
    wakeUps.wake(change.partitions());
    return change.answer();
  }

  private Change inTransaction(String tenant, String id, @Nullable String subscription, Replay as) {
    Event event =
        jdbc.sql(EVENT)
            .param("tenant", tenant)
            .param("id", id)
            .query(Event.class)
            .optional()
            .orElseThrow(() -> unknown(tenant, id));
    List<StoredRoute> routes = StoredRoute.fromJson(event.deliveries());
    List<Wish> wishes =
        subscription == null
            ? routed(event, routes)
            : List.of(only(tenant, subscription, event, routes, as));
    List<Returning> wanted = wishes.stream().map(Wish::returning).filter(Objects::nonNull).toList();
    Replays.Result result = replays.bringBack(wanted, as);
    List<RedeliveredEvent.One> deliveries = new ArrayList<>();
    int next = 0;
    for (Wish wish : wishes) {
      Outcome outcome =
          wish.returning() == null
              ? Outcome.SUBSCRIPTION_DELETED
              : switch (result.outcomes().get(next++)) {
                case QUEUED -> Outcome.REDELIVERED;
                case STILL_QUEUED -> Outcome.STILL_QUEUED;
                // Retention was faster.
                case GONE -> throw unknown(tenant, id);
              };
      deliveries.add(
          new RedeliveredEvent.One(wish.subscription(), wish.key(), wish.sequence(), outcome));
    }
    if (result.queued() > 0) {
      audit.record(
          AuditAction.REDELIVER_EVENT,
          "event/%s/%s".formatted(tenant, id),
          Map.of("as", as, "deliveries", deliveries));
    }
    return new Change(new RedeliveredEvent(tenant, id, as, deliveries), result.partitions());
  }

  private List<Wish> routed(Event event, List<StoredRoute> routes) {
    Map<Long, Subscription> byPk =
        subscriptions.load(routes.stream().map(StoredRoute::pk).toList()).stream()
            .collect(Collectors.toMap(Subscription::pk, Function.identity()));
    return routes.stream().map(route -> wish(event, route, byPk.get(route.pk()))).toList();
  }

  private static Wish wish(Event event, StoredRoute route, @Nullable Subscription subscription) {
    return new Wish(
        route.subscription(),
        route.key(),
        route.sequence(),
        subscription == null || subscription.state() == State.DELETED
            ? null
            : new Returning(
                event.pk(),
                event.resource(),
                subscription,
                new Returning.Original(route.delivery(), route.lane(), route.sequence(), false),
                null));
  }

  private Wish only(String tenant, String id, Event event, List<StoredRoute> routes, Replay as) {
    Subscription subscription = names.find(id);
    if (!subscription.tenant().equals(tenant)) {
      throw ProblemException.invalid(
          "subscription", "must be one of tenant %s, whose event it is".formatted(tenant));
    }
    Optional<StoredRoute> route =
        routes.stream().filter(one -> one.pk() == subscription.pk()).findFirst();
    if (route.isEmpty() && as == Replay.ORIGINAL) {
      throw new ProblemException(
          ProblemType.CONFLICT,
          "The event was never for subscription %s, so it has no place there; send it as NEW"
              .formatted(id));
    }
    return route
        .map(one -> wish(event, one, subscription))
        .orElseGet(
            () ->
                new Wish(
                    id,
                    null,
                    null,
                    new Returning(event.pk(), event.resource(), subscription, null, null)));
  }

  private static ProblemException unknown(String tenant, String id) {
    return new ProblemException(
        ProblemType.NOT_FOUND, "Tenant %s has no event %s".formatted(tenant, id));
  }
}
