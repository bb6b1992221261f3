package dev.seriatim.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The promise, read from what a receiver saw. Lane by lane: the first number is 1, the next one
 * comes only after the current one was answered 2xx or may be missing, no number comes again after
 * its 2xx, no two requests overlap, attempts count up from 1 and a number keeps its id.
 */
final class ReceiverLog {

  private static final int SHOWN = 20;

  private final List<Received> requests;

  /** Numbers that may stay without a 2xx: given up or cancelled. */
  private final Predicate<Received> given;

  private final Set<Long> missing;
  private final List<String> violations = new ArrayList<>();
  private final Map<Received.Lane, Long> last = new LinkedHashMap<>();

  private ReceiverLog(List<Received> requests, Predicate<Received> given, Set<Long> missing) {
    this.requests = requests;
    this.given = given;
    this.missing = missing;
  }

  static ReceiverLog of(List<Received> requests) {
    return new ReceiverLog(requests, request -> false, Set.of());
  }

  /** The same where these numbers of every lane may never be acknowledged, or never come at all. */
  ReceiverLog without(Set<Long> sequences) {
    return new ReceiverLog(requests, request -> sequences.contains(request.sequence()), sequences);
  }

  /**
   * Checks all of it.
   *
   * @return the last number of each lane
   * @throws AssertionError listing what is wrong
   */
  Map<Received.Lane, Long> assertOrdered() {
    Map<Received.Lane, List<Received>> lanes = new LinkedHashMap<>();
    Map<String, List<Received>> unordered = new HashMap<>();
    for (Received request : requests) {
      if (request.sequence() > 0) {
        lanes.computeIfAbsent(request.lane(), lane -> new ArrayList<>()).add(request);
      } else {
        unordered.computeIfAbsent(request.webhookId(), id -> new ArrayList<>()).add(request);
      }
    }
    lanes.forEach(this::checkLane);
    unordered.values().forEach(this::checkAttempts);
    if (!violations.isEmpty()) {
      throw new AssertionError(
          "%d violations in %d requests of %d lanes:%n%s"
              .formatted(
                  violations.size(),
                  requests.size(),
                  lanes.size(),
                  String.join(
                      System.lineSeparator(),
                      violations.subList(0, Math.min(SHOWN, violations.size())))));
    }
    return last;
  }

  private void checkLane(Received.Lane lane, List<Received> line) {
    Set<String> ids = new HashSet<>();
    Map<Long, List<Received>> bySequence = new LinkedHashMap<>();
    Received former = null;
    long expected = 1;
    for (Received request : line) {
      if (former != null && former.completedAt() > request.arrivedAt()) {
        violation("two at once", former, request);
      }
      if (former == null || request.sequence() != former.sequence()) {
        if (former != null && !former.acknowledged() && !given.test(former)) {
          violation("the next one before a 2xx", former, request);
        }
        while (missing.contains(expected) && expected < request.sequence()) {
          expected++;
        }
        if (request.sequence() != expected) {
          violation("expected #" + expected, former, request);
        }
        if (!ids.add(request.webhookId())) {
          violation("an id of an earlier number", former, request);
        }
        expected = request.sequence() + 1;
      }
      bySequence.computeIfAbsent(request.sequence(), number -> new ArrayList<>()).add(request);
      former = request;
    }
    bySequence.values().forEach(this::checkAttempts);
    last.put(lane, former.sequence());
    if (!former.acknowledged() && !given.test(former)) {
      violation("never acknowledged", null, former);
    }
  }

  /** All requests of one delivery. */
  private void checkAttempts(List<Received> attempts) {
    Received former = null;
    for (Received request : attempts) {
      if (request.attempt() != (former == null ? 1 : former.attempt() + 1)) {
        violation("an attempt is missing or doubled", former, request);
      }
      if (former != null && former.acknowledged()) {
        violation("again after its 2xx", former, request);
      }
      if (former != null && !former.webhookId().equals(request.webhookId())) {
        violation("another id", former, request);
      }
      former = request;
    }
  }

  private void violation(String what, Received former, Received request) {
    violations.add(what + ": " + request + (former == null ? "" : " after " + former));
  }
}
