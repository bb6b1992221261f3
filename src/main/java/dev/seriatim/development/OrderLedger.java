package dev.seriatim.development;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks what a receiver can check from outside: per key the sequence goes 1, 2, 3, … with nothing
 * missing, nothing early and never two requests at once. A number may come again: as a retry until
 * it is acknowledged, as a repeat right after. A key starts at the first number that is seen of it,
 * because a run before may have received the ones below.
 *
 * <p>Keeps the keys that were active last and totals, so that it can go on for ever.
 *
 * <p>Concurrency: thread-safe; one lock, held for moments.
 */
final class OrderLedger {

  /**
   * One request of the service.
   *
   * @param what happened to the order
   */
  record Request(String key, long sequence, String what) {}

  /**
   * What was acknowledged.
   *
   * @param refused how many attempts were answered with a failure before
   */
  record Step(long sequence, String what, int refused) {}

  /**
   * What is known of one key.
   *
   * @param first the first number seen
   * @param steps the last ones, in the order they arrived
   * @param refused failed attempts of the step that is due, none if it has not been tried
   * @param fault the first breach of order, null if there is none
   */
  record Line(String key, long first, List<Step> steps, int refused, @Nullable String fault) {}

  /**
   * @param keys seen so far
   * @param accepted acknowledged for the first time
   * @param refused answered with a failure
   * @param repeats arrived again after they had been acknowledged
   * @param forged with a wrong signature; not counted elsewhere
   * @param continued keys whose first numbers must have arrived before this ledger began
   * @param faults breaches of order
   * @param firstFault what the first of them was
   */
  record Totals(
      long keys,
      long accepted,
      long refused,
      long repeats,
      long forged,
      long continued,
      long faults,
      @Nullable String firstFault) {}

  /**
   * @param recent the keys that were active last, the latest at the end
   */
  record Report(Totals totals, List<Line> recent) {}

  private static final int STEPS_KEPT = 5;

  private final int keysKept;

  @GuardedBy("this")
  private final LinkedHashMap<String, Key> keys;

  @GuardedBy("this")
  private long seen;

  @GuardedBy("this")
  private long accepted;

  @GuardedBy("this")
  private long refused;

  @GuardedBy("this")
  private long repeats;

  @GuardedBy("this")
  private long forged;

  @GuardedBy("this")
  private long continued;

  @GuardedBy("this")
  private long faults;

  @GuardedBy("this")
  private @Nullable String firstFault;

  private static final class Key {
    final long first;
    final List<Step> steps = new ArrayList<>();
    long acknowledged;
    int refused;
    int underWay;
    @Nullable String fault;

    Key(long first) {
      this.first = first;
      this.acknowledged = first - 1;
    }
  }

  /**
   * @param keysKept so many keys are remembered; an older one that comes back starts anew
   */
  OrderLedger(int keysKept) {
    this.keysKept = keysKept;
    this.keys = new LinkedHashMap<>(16, 0.75f, true);
  }

  /** A request has arrived; {@link #ends} must follow. */
  synchronized void begins(Request request) {
    Key key = keys.get(request.key());
    if (key == null) {
      key = add(request);
    }
    key.underWay++;
    long due = key.acknowledged + 1;
    if (key.underWay > 1) {
      fault(request.key(), key, "two requests at once, the later one is " + request.sequence());
    } else if (request.sequence() > due) {
      fault(request.key(), key, "%d came when %d was due".formatted(request.sequence(), due));
      // What is missing is reported once; what follows is checked again.
      key.acknowledged = request.sequence() - 1;
    } else if (request.sequence() < key.acknowledged) {
      fault(request.key(), key, "%d came after %d".formatted(request.sequence(), key.acknowledged));
    }
  }

  /**
   * The request has been answered.
   *
   * @param acknowledged with 2xx
   */
  synchronized void ends(Request request, boolean acknowledged) {
    Key key = keys.get(request.key());
    if (key == null) {
      return;
    }
    key.underWay--;
    if (request.sequence() <= key.acknowledged) {
      repeats++;
    } else if (acknowledged) {
      accepted++;
      key.acknowledged = request.sequence();
      key.steps.add(new Step(request.sequence(), request.what(), key.refused));
      key.refused = 0;
      if (key.steps.size() > STEPS_KEPT) {
        key.steps.removeFirst();
      }
    } else {
      refused++;
      key.refused++;
    }
  }

  /** A request that the service cannot have sent. */
  synchronized void forged() {
    forged++;
  }

  /**
   * @param lines at most so many keys
   */
  synchronized Report report(int lines) {
    List<Line> recent = new ArrayList<>();
    int older = keys.size() - lines;
    for (Map.Entry<String, Key> entry : keys.entrySet()) {
      if (older-- <= 0) {
        Key key = entry.getValue();
        recent.add(
            new Line(entry.getKey(), key.first, List.copyOf(key.steps), key.refused, key.fault));
      }
    }
    return new Report(
        new Totals(seen, accepted, refused, repeats, forged, continued, faults, firstFault),
        recent);
  }

  @GuardedBy("this")
  private Key add(Request request) {
    Key key = new Key(request.sequence());
    keys.put(request.key(), key);
    seen++;
    if (key.first > 1) {
      continued++;
    }
    if (keys.size() > keysKept) {
      keys.pollFirstEntry();
    }
    return key;
  }

  @GuardedBy("this")
  private void fault(String name, Key key, String what) {
    faults++;
    if (key.fault == null) {
      key.fault = what;
    }
    if (firstFault == null) {
      firstFault = name + ": " + what;
    }
  }
}
