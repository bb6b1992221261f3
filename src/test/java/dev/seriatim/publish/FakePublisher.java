package dev.seriatim.publish;

import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.PublishResult;
import dev.seriatim.queue.PublishResult.Routed;
import dev.seriatim.queue.Publisher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keeps events in memory as the queue would: the first of an id wins, a repeat is compared. */
class FakePublisher implements Publisher {

  private final Map<List<String>, NewEvent> stored = new HashMap<>();
  private final Map<List<String>, List<Routed>> answers = new HashMap<>();
  private final List<NewEvent> order = new ArrayList<>();
  private @Nullable RuntimeException failure;
  private int calls;

  @Override
  public synchronized List<PublishResult> publish(List<NewEvent> events) {
    calls++;
    if (failure != null) {
      throw failure;
    }
    return events.stream().map(this::store).toList();
  }

  private PublishResult store(NewEvent event) {
    List<String> key = List.of(event.tenant(), event.id());
    NewEvent first = stored.putIfAbsent(key, event);
    if (first == null) {
      order.add(event);
      List<Routed> routed = route(event);
      answers.put(key, routed);
      return new PublishResult.Accepted(event.tenant(), event.id(), false, routed);
    }
    return Arrays.equals(first.fingerprint(), event.fingerprint())
        ? new PublishResult.Accepted(
            event.tenant(), event.id(), true, answers.getOrDefault(key, List.of()))
        : new PublishResult.Conflict(event.tenant(), event.id());
  }

  private List<Routed> route(NewEvent event) {
    return switch (event.type()) {
      case "unwanted" -> List.of();
      case "unordered" -> List.of(new Routed("sub-none", null, null, 3));
      default -> List.of(new Routed("sub", "sub", (long) order.size(), 5));
    };
  }

  /** From now on; null to work again. */
  synchronized void failWith(@Nullable RuntimeException failure) {
    this.failure = failure;
  }

  synchronized void reset() {
    stored.clear();
    answers.clear();
    order.clear();
    failure = null;
    calls = 0;
  }

  synchronized List<NewEvent> stored() {
    return List.copyOf(order);
  }

  synchronized int calls() {
    return calls;
  }
}
