package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.EndpointLog;
import dev.seriatim.queue.EndpointState;
import dev.seriatim.queue.Settler;
import dev.seriatim.queue.Verdict;
import dev.seriatim.subscription.EndpointSettings;
import dev.seriatim.subscription.Subscription;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gates of a partition's endpoints: tells the {@link KeyLanes} how much of each may pass, and
 * opens what is shut when its time comes. What the next owner must know is written down by {@link
 * #record}, when something changed.
 *
 * <p>Concurrency: none, one drainer's own. {@link #require} and {@link #record} block on the
 * database and may be repeated after any exception.
 */
final class EndpointGates {

  private static final Logger log = LoggerFactory.getLogger(EndpointGates.class);

  /** What all gates of a pod share. */
  record Shared(EndpointLog log, EndpointSettings settings, EndpointMeters meters) {}

  /** One endpoint, and what the lanes were told of it. */
  private static final class Entry {
    final long pk;
    EndpointGate gate;
    Subscription subscription;
    Breaker.State state = Breaker.State.CLOSED;
    int atOnce = Integer.MAX_VALUE;
    boolean waits;
    long from;

    Entry(EndpointGate gate, Subscription subscription) {
      this.pk = subscription.pk();
      this.gate = gate;
      this.subscription = subscription;
    }
  }

  private final PartitionLease lease;
  private final Shared shared;
  private final MonotonicClock clock;
  private final DrainSettings drain;
  private final KeyLanes lanes;
  private final long began;
  private final Map<Long, EndpointState> former = new HashMap<>();
  private final Map<Long, Entry> entries = new HashMap<>();
  private final Set<Entry> changed = new LinkedHashSet<>();
  private final Set<Entry> tooLong = new LinkedHashSet<>();

  /** Those that open by time alone, the next first. */
  private final TreeSet<Entry> waiting =
      new TreeSet<>(
          Comparator.<Entry>comparingLong(entry -> entry.from)
              .thenComparingLong(entry -> entry.pk));

  private boolean fenced;

  EndpointGates(PartitionLease lease, PartitionDrainer.Tools tools, KeyLanes lanes) {
    this.lease = lease;
    this.shared = tools.gates();
    this.clock = tools.clock();
    this.drain = tools.settings();
    this.lanes = lanes;
    this.began = clock.nanos();
  }

  /** Reads what former owners left of the endpoints of subscriptions that are new here. */
  void require(Collection<Long> subscriptionPks) {
    List<Long> unknown = subscriptionPks.stream().filter(pk -> !entries.containsKey(pk)).toList();
    if (!unknown.isEmpty()) {
      former.putAll(shared.log().load(unknown));
    }
  }

  /**
   * A subscription is like this. One that was enabled again, or has a new URL, is another endpoint:
   * what was known against it is forgotten.
   */
  void tell(Subscription subscription) {
    long now = clock.nanos();
    Entry entry = entries.get(subscription.pk());
    if (entry == null) {
      EndpointState left = former.remove(subscription.pk());
      entry = new Entry(gate(left == null ? EndpointState.WELL : left, now), subscription);
      entries.put(entry.pk, entry);
      shared.meters().moved(null, entry.state);
    } else if (isAnother(entry.subscription, subscription)) {
      entry.gate = gate(EndpointState.WELL, now);
      changed.add(entry);
    }
    entry.subscription = subscription;
    entry.gate.limits(drain.cap(subscription.maxInFlight()), subscription.rateLimit(), began);
    apply(entry, now);
  }

  private EndpointGate gate(EndpointState left, long now) {
    return new EndpointGate(shared.settings(), clock, left, now);
  }

  private static boolean isAnother(Subscription former, Subscription present) {
    boolean enabled =
        former.state() == Subscription.State.DISABLED
            && present.state() == Subscription.State.ENABLED;
    return enabled || !former.url().equals(present.url());
  }

  /** Opens what has waited long enough. */
  void open(long now) {
    while (!waiting.isEmpty() && waiting.first().from - now <= 0) {
      apply(waiting.first(), now);
    }
  }

  /** When {@link #open} has something to do next. */
  OptionalLong nextOpening() {
    return waiting.isEmpty() ? OptionalLong.empty() : OptionalLong.of(waiting.first().from);
  }

  /** The lanes have started it. */
  void started(Delivery delivery) {
    Entry entry = entry(delivery);
    long now = clock.nanos();
    entry.gate.started(delivery.id(), now);
    apply(entry, now);
  }

  /** What the lanes had started has ended. */
  void landed(AttemptResult result) {
    Delivery delivery = result.delivery();
    Entry entry = entry(delivery);
    Verdict verdict = result.verdict();
    long now = clock.nanos();
    if (verdict == null) {
      entry.gate.notSent(delivery.id());
    } else {
      judge(entry, delivery, verdict, now);
    }
    apply(entry, now);
  }

  private void judge(Entry entry, Delivery delivery, Verdict verdict, long now) {
    String news = entry.gate.landed(delivery.id(), verdict, now);
    if (news != null) {
      LogSubject.of(entry.subscription, log.atInfo())
          .log("The endpoint of subscription {} {}", entry.subscription.id(), news);
    }
    if (entry.gate.changed()) {
      changed.add(entry);
    }
    if (verdict instanceof Verdict.Gone) {
      shared.meters().gone();
      LogSubject.of(entry.subscription, log.atInfo())
          .log(
              "The endpoint of subscription {} answered 410 Gone: it is disabled",
              entry.subscription.id());
    } else if (verdict instanceof Verdict.Failed && entry.gate.failsForTooLong(now)) {
      tooLong.add(entry);
    }
  }

  /**
   * Writes down what the next owner must know, and disables what has failed for too long. Nothing
   * is written when nothing changed.
   *
   * @return the subscriptions that were disabled
   */
  Set<Long> record() {
    long now = clock.nanos();
    if (!changed.isEmpty()) {
      Map<Long, EndpointState> states = new HashMap<>();
      changed.forEach(entry -> states.put(entry.pk, entry.gate.recordable(now)));
      note(shared.log().write(lease, states));
      changed.forEach(
          entry -> entry.gate.recorded(states.getOrDefault(entry.pk, EndpointState.WELL)));
      changed.clear();
    }
    Set<Long> disabled = new HashSet<>();
    for (Entry entry : List.copyOf(tooLong)) {
      if (disable(entry, now)) {
        disabled.add(entry.pk);
      }
      tooLong.remove(entry);
    }
    return disabled;
  }

  private boolean disable(Entry entry, long now) {
    String reason = entry.gate.disableReason(shared.log().queued(lease, entry.pk), now);
    if (reason == null) {
      return false;
    }
    note(shared.log().disable(lease, entry.pk, reason));
    if (fenced) {
      return false;
    }
    shared.meters().failing();
    LogSubject.of(entry.subscription, log.atWarn())
        .log("Subscription {} is disabled: {}", entry.subscription.id(), reason);
    return true;
  }

  private void note(Settler.Outcome outcome) {
    fenced |= outcome == Settler.Outcome.FENCED;
  }

  /** Whether a write found that the partition has another owner by now. */
  boolean fenced() {
    return fenced;
  }

  /** They are of no interest any more. */
  void close() {
    entries.values().forEach(entry -> shared.meters().moved(entry.state, null));
    entries.clear();
  }

  private Entry entry(Delivery delivery) {
    Entry entry = entries.get(delivery.subscriptionPk());
    if (entry == null) {
      throw new IllegalStateException(
          "the endpoint of subscription " + delivery.subscriptionPk() + " has no gate yet");
    }
    return entry;
  }

  /** Tells the lanes what may pass, if that is not what they know. */
  private void apply(Entry entry, long now) {
    waiting.remove(entry); // before its place in the set is another
    EndpointGate.Passage passage = entry.gate.passage(now);
    boolean waits = passage.from() - now > 0;
    if (passage.atOnce() != entry.atOnce || waits != entry.waits) {
      entry.atOnce = passage.atOnce();
      entry.waits = waits;
      lanes.gate(entry.pk, passage.atOnce(), waits);
    }
    entry.from = passage.from();
    if (waits) {
      waiting.add(entry);
    }
    Breaker.State state = entry.gate.state(now);
    if (state != entry.state) {
      shared.meters().moved(entry.state, state);
      entry.state = state;
      if (state == Breaker.State.HALF_OPEN) {
        LogSubject.of(entry.subscription, log.atInfo())
            .log(
                "The endpoint of subscription {} is half-open: one request at a time until one succeeds",
                entry.subscription.id());
      }
    }
  }
}
