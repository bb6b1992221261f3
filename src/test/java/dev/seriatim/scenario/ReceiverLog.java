package dev.seriatim.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The promise, read from what a receiver saw. Lane by lane: the first number is 1, the next one
 * comes only after the current one was answered 2xx or may be missing, no number comes again after
 * its 2xx, no two requests overlap, attempts count up from 1 and a number keeps its id.
 *
 * <p>After crashes, and only then: the current number of a lane may come again after its 2xx, once
 * per crash; and an attempt whose verdict was lost may come under its number again, or one that
 * never arrived may be counted.
 *
 * <p>What an operator had sent again is marked. It may have a number that the lane has passed, and
 * nothing with a higher one comes before its 2xx; or it is a copy, which has the next number like
 * anything else. Its attempts begin at 1 each time. After an operator let heads begin anew, and
 * only then, so do theirs.
 */
final class ReceiverLog {

  /** What can be wrong. */
  enum Kind {
    /** A number came before the ones between it and the last. */
    GAP,
    /** A number came after a later one. */
    REORDER,
    /** Two requests of a lane at once. */
    OVERLAP,
    /** A number came again after its 2xx, more often than allowed. */
    REPEAT,
    /** A number never got its 2xx: lost, or the next came too early. */
    UNACKNOWLEDGED,
    /** Attempts or ids do not fit. */
    IDENTITY
  }

  record Violation(Kind kind, String text) {}

  private static final int SHOWN = 20;

  private final List<Received> requests;

  /** Numbers that may stay without a 2xx: given up or cancelled. */
  private final Predicate<Received> given;

  private final Set<Long> missing;
  private final int crashes;
  private final boolean newStarts;
  private final Map<Received.Lane, Long> before;
  private final List<Violation> violations = new ArrayList<>();
  private final Map<Received.Lane, Long> last;
  private int lanesSeen;
  private int repeats;

  private ReceiverLog(
      List<Received> requests,
      Predicate<Received> given,
      Set<Long> missing,
      int crashes,
      boolean newStarts,
      Map<Received.Lane, Long> before) {
    this.requests = requests;
    this.given = given;
    this.missing = missing;
    this.crashes = crashes;
    this.newStarts = newStarts;
    this.before = before;
    this.last = new LinkedHashMap<>(before);
  }

  static ReceiverLog of(List<Received> requests) {
    return new ReceiverLog(requests, request -> false, Set.of(), 0, false, Map.of());
  }

  /** The same where these numbers of every lane may never be acknowledged, or never come at all. */
  ReceiverLog without(Set<Long> sequences) {
    return new ReceiverLog(
        requests,
        request -> sequences.contains(request.sequence()),
        sequences,
        crashes,
        newStarts,
        before);
  }

  /** The same where so many crashes happened. */
  ReceiverLog afterCrashes(int count) {
    return new ReceiverLog(requests, given, missing, count, newStarts, before);
  }

  /** The same where operators gave heads all of their attempts again. */
  ReceiverLog afterNewStarts() {
    return new ReceiverLog(requests, given, missing, crashes, true, before);
  }

  /**
   * The same where the lanes have come to these numbers before, with nothing left between.
   *
   * @param former what {@link #assertOrdered} returned for what came before
   */
  ReceiverLog continuing(Map<Received.Lane, Long> former) {
    return new ReceiverLog(requests, given, missing, crashes, newStarts, former);
  }

  /**
   * Checks all of it.
   *
   * @return the last number of each lane
   * @throws AssertionError listing what is wrong
   */
  Map<Received.Lane, Long> assertOrdered() {
    check();
    if (!violations.isEmpty()) {
      throw new AssertionError(
          "%d violations in %d requests of %d lanes:%n%s"
              .formatted(
                  violations.size(),
                  requests.size(),
                  lanesSeen,
                  String.join(
                      System.lineSeparator(),
                      violations.stream().limit(SHOWN).map(Violation::text).toList())));
    }
    return last;
  }

  /** Looks for all that is wrong, without failing. */
  List<Violation> violations() {
    check();
    return violations;
  }

  /** The last number of each lane, whatever is wrong. After a check. */
  Map<Received.Lane, Long> last() {
    return last;
  }

  /** Requests for a number that had its 2xx, allowed or not. After a check. */
  int repeats() {
    return repeats;
  }

  private void check() {
    violations.clear();
    last.clear();
    last.putAll(before);
    repeats = 0;
    Map<Received.Lane, List<Received>> lanes = new LinkedHashMap<>();
    Map<String, List<Received>> unordered = new HashMap<>();
    for (Received request : requests) {
      if (request.sequence() > 0) {
        lanes.computeIfAbsent(request.lane(), lane -> new ArrayList<>()).add(request);
      } else {
        unordered.computeIfAbsent(request.webhookId(), id -> new ArrayList<>()).add(request);
      }
    }
    lanesSeen = lanes.size();
    lanes.forEach(this::checkLane);
    unordered.values().forEach(attempts -> checkRepeats(checkAttempts(attempts)));
  }

  private void checkLane(Received.Lane lane, List<Received> line) {
    Set<String> ids = new HashSet<>();
    Map<Long, List<Received>> bySequence = new LinkedHashMap<>();
    TreeMap<Long, Received> owed = new TreeMap<>();
    Received former = null;
    long current = before.getOrDefault(lane, 0L);
    for (Received request : line) {
      long sequence = request.sequence();
      if (former != null && former.completedAt() > request.arrivedAt()) {
        violation(Kind.OVERLAP, "two at once", former, request);
      }
      while (!owed.isEmpty() && owed.firstKey() < sequence) {
        Received passed = owed.pollFirstEntry().getValue();
        violation(Kind.UNACKNOWLEDGED, "the next one before a 2xx", passed, request);
      }
      boolean again = sequence == current && bySequence.containsKey(sequence);
      if (!again && !(request.replayed() && sequence <= current)) {
        long expected = current + 1;
        while (missing.contains(expected) && expected < sequence) {
          expected++;
        }
        if (sequence != expected) {
          Kind kind = sequence < expected ? Kind.REORDER : Kind.GAP;
          violation(kind, "expected #" + expected, former, request);
        }
        current = sequence;
      }
      if (!bySequence.containsKey(sequence) && !ids.add(request.webhookId())) {
        violation(Kind.IDENTITY, "an id of another number", former, request);
      }
      bySequence.computeIfAbsent(sequence, number -> new ArrayList<>()).add(request);
      if (request.acknowledged() || given.test(request)) {
        owed.remove(sequence);
      } else {
        owed.put(sequence, request);
      }
      former = request;
    }
    List<Received> repeated = new ArrayList<>();
    bySequence.values().forEach(attempts -> repeated.addAll(checkAttempts(attempts)));
    checkRepeats(repeated);
    last.put(lane, current);
    owed.values().forEach(lost -> violation(Kind.UNACKNOWLEDGED, "never acknowledged", null, lost));
  }

  /**
   * All requests of one delivery.
   *
   * @return those that came again after a 2xx
   */
  private List<Received> checkAttempts(List<Received> attempts) {
    List<Received> repeated = new ArrayList<>();
    Received former = null;
    for (Received request : attempts) {
      boolean first = former == null || replayBegins(former, request);
      if (!first && former.acknowledged()) {
        repeated.add(request);
      }
      if (!(first ? request.attempt() == 1 || crashes > 0 : follows(former, request))) {
        violation(Kind.IDENTITY, "an attempt is missing or doubled", former, request);
      }
      if (former != null && !former.webhookId().equals(request.webhookId())) {
        violation(Kind.IDENTITY, "another id", former, request);
      }
      former = request;
    }
    return repeated;
  }

  /** Sent for the first time since an operator had it sent again. */
  private static boolean replayBegins(Received former, Received request) {
    return request.replayed() && (!former.replayed() || request.attempt() == 1);
  }

  private boolean follows(Received former, Received request) {
    if (newStarts && request.attempt() == 1 && !former.acknowledged()) {
      return true;
    }
    return crashes == 0
        ? request.attempt() == former.attempt() + 1
        : request.attempt() >= former.attempt();
  }

  /** Of one lane; each delivery without order is a lane. */
  private void checkRepeats(List<Received> repeated) {
    repeats += repeated.size();
    repeated.stream()
        .skip(crashes)
        .forEach(request -> violation(Kind.REPEAT, "again after its 2xx", null, request));
  }

  private void violation(Kind kind, String what, Received former, Received request) {
    violations.add(
        new Violation(kind, what + ": " + request + (former == null ? "" : " after " + former)));
  }
}
