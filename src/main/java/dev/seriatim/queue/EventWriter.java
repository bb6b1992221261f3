package dev.seriatim.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The publish transaction: finds repeats, routes what is new, writes events and deliveries.
 * Thread-safe. Either all of a call is stored or nothing.
 */
@Component
class EventWriter {

  private static final int MAX_TRIES = 10;

  private final TransactionOperations transaction;
  private final EventTable table;
  private final EventRouter router;

  EventWriter(TransactionOperations transaction, EventTable table, EventRouter router) {
    this.transaction = transaction;
    this.table = table;
    this.router = router;
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

  /**
   * @return null when another pod was faster with one of the ids
   */
  private @Nullable List<PublishResult> tryWrite(List<NewEvent> events) {
    Map<EventKey, EventTable.Known> known = table.known(events);
    Map<EventKey, NewEvent> fresh = new LinkedHashMap<>();
    for (NewEvent event : events) {
      if (!known.containsKey(EventKey.of(event))) {
        fresh.putIfAbsent(EventKey.of(event), event);
      }
    }
    Map<EventKey, List<StoredRoute>> routes =
        fresh.isEmpty() ? Map.of() : router.route(fresh.values());
    if (!fresh.isEmpty() && !table.insert(fresh.values(), routes)) {
      return null;
    }
    List<PublishResult> results = new ArrayList<>(events.size());
    Set<EventKey> answered = new HashSet<>();
    for (NewEvent event : events) {
      EventKey key = EventKey.of(event);
      NewEvent first = fresh.get(key);
      if (first != null && answered.add(key)) {
        results.add(accepted(key, false, routes.getOrDefault(key, List.of())));
      } else if (first != null) {
        results.add(repeat(key, event, first.fingerprint(), routes.getOrDefault(key, List.of())));
      } else {
        EventTable.Known stored = Objects.requireNonNull(known.get(key));
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
}
