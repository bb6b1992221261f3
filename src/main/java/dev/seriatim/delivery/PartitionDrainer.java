package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.PartitionCursor;
import dev.seriatim.queue.PartitionLog;
import dev.seriatim.queue.Place;
import dev.seriatim.queue.Settler;
import dev.seriatim.subscription.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains one partition under one lease: reads the queue in order, lets {@link KeyLanes} decide what
 * goes out, and starts it.
 *
 * <p>Concurrency: one virtual thread owns all of the partition's state and never waits for a
 * request; others talk to it through {@code mailbox}. It blocks on reads of the database only. When
 * the lease is lost it ends at once and aborts what is under way; when it is released it starts
 * nothing more and ends once the last verdict is recorded. After a crash the next owner begins with
 * the unsettled rows: nothing here needs to survive.
 */
final class PartitionDrainer {

  private static final Logger log = LoggerFactory.getLogger(PartitionDrainer.class);
  private static final int LANES_PER_READ = 200;
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private sealed interface Message {
    record Wake() implements Message {}

    record Changed(Set<Long> subscriptions) implements Message {}

    record Done(AttemptResult result) implements Message {}

    record Release() implements Message {}

    record Abort() implements Message {}
  }

  /** What all drainers of a pod share. */
  record Tools(
      PartitionLog log,
      SubscriptionCache subscriptions,
      Attempts attempts,
      Settler settler,
      MonotonicClock clock,
      DrainSettings settings,
      Duration longestDeadline) {}

  private final PartitionLease lease;
  private final Tools tools;
  private final AttemptScope scope;
  private final PartitionCursor cursor;
  private final KeyLanes lanes;
  private final BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
  private final AtomicBoolean wakeWaiting = new AtomicBoolean();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** The subscriptions the lanes have been told of. */
  private final Map<Long, Subscription> endpoints = new HashMap<>();

  private boolean more = true;
  private boolean releasing;
  private boolean aborted;
  private long pausedUntil;

  PartitionDrainer(PartitionLease lease, Tools tools) {
    this.lease = lease;
    this.tools = tools;
    this.scope = new AttemptScope(lease);
    this.cursor =
        new PartitionCursor(tools.log(), lease, tools.clock(), tools.settings().pageSize());
    this.lanes = new KeyLanes(tools.settings().lanes());
    this.pausedUntil = tools.clock().nanos();
  }

  void start() {
    Thread.ofVirtual().name("drainer-" + lease.partition()).start(this::run);
  }

  /** There may be something new. Any thread; never blocks. */
  void wake() {
    if (wakeWaiting.compareAndSet(false, true)) {
      mailbox.add(new Message.Wake());
    }
  }

  /** These subscriptions are not what they were. Any thread; never blocks. */
  void changed(Set<Long> subscriptions) {
    mailbox.add(new Message.Changed(subscriptions));
  }

  /** Starts nothing more. @return completes when nothing is under way any more */
  CompletableFuture<Void> release() {
    scope.stop();
    mailbox.add(new Message.Release());
    return ended;
  }

  /** Ends at once and aborts what is under way. Any thread; never blocks. */
  void abort() {
    scope.abort();
    mailbox.add(new Message.Abort());
  }

  /** Completes when the drainer has ended, for whatever reason. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  PartitionLease lease() {
    return lease;
  }

  /** The place behind which something may be new to it. Any thread. */
  Place seen() {
    return cursor.seen();
  }

  private void run() {
    try {
      while (!aborted && !(releasing && lanes.inFlight() == 0)) {
        try {
          step();
          receive();
        } catch (InterruptedException e) {
          aborted = true;
        } catch (RuntimeException e) {
          log.warn("Draining {} pauses: {}", lease, e.toString(), e);
          // What was read may not have reached the lanes; what did is recognised when it is read
          // again.
          cursor.rewind();
          more = true;
          pausedUntil = tools.clock().nanos() + PAUSE.toNanos();
        }
      }
    } finally {
      scope.abort();
      ended.complete(null);
    }
  }

  private void step() {
    long now = tools.clock().nanos();
    lanes.wake(now);
    if (releasing || pausedUntil - now > 0) {
      return;
    }
    startReady();
    boolean read = readPlaces(now);
    read |= readLanes();
    if (read) {
      startReady();
    }
  }

  private void startReady() {
    // Before a renewal that is late, nothing starts: a request would not be over when the lease may
    // be.
    if (!lease.outlives(tools.longestDeadline())) {
      return;
    }
    for (Delivery next = lanes.next(); next != null; next = lanes.next()) {
      tools.attempts().start(scope, next, result -> mailbox.add(new Message.Done(result)));
    }
  }

  private boolean readPlaces(long now) {
    if (!lanes.hasRoom()) {
      return false;
    }
    boolean read = false;
    if (more) {
      List<Delivery> page = cursor.forward();
      more = cursor.full(page);
      offer(page);
      read = true;
    }
    OptionalLong sweepAt = cursor.sweepAt();
    if (sweepAt.isPresent() && sweepAt.getAsLong() - now <= 0) {
      offer(cursor.sweep());
      read = true;
    }
    for (KeyLanes.EndpointRead behind : lanes.behind()) {
      readBehind(behind);
      read = true;
    }
    return read;
  }

  private void readBehind(KeyLanes.EndpointRead behind) {
    int limit = tools.settings().pageSize();
    List<Delivery> page =
        tools.log().page(lease, behind.from().before(), behind.endpoint(), limit).deliveries();
    lanes.readingBehind(
        behind.endpoint(), page.size() < limit ? null : Place.of(page.getLast()).after());
    offer(page);
  }

  private boolean readLanes() {
    List<KeyLanes.LaneRead> wanted = lanes.wanted(LANES_PER_READ);
    if (wanted.isEmpty()) {
      return false;
    }
    int limit = lanes.rowsPerLane(wanted.size());
    Map<Long, List<Delivery>> found =
        tools
            .log()
            .lanes(
                lease,
                wanted.stream()
                    .map(read -> new PartitionLog.LaneFrom(read.lane(), read.from()))
                    .toList(),
                limit);
    List<Delivery> all = new ArrayList<>();
    found.values().forEach(all::addAll);
    Set<Long> live = live(all);
    for (KeyLanes.LaneRead read : wanted) {
      List<Delivery> rows = found.getOrDefault(read.lane(), List.of());
      long through = rows.isEmpty() ? read.from() - 1 : rows.getLast().sequence();
      lanes.fetched(
          read,
          rows.stream().filter(row -> live.contains(row.subscriptionPk())).toList(),
          rows.size() < limit,
          through,
          tools.clock().nanos());
    }
    return true;
  }

  private void offer(List<Delivery> rows) {
    Set<Long> live = live(rows);
    long now = tools.clock().nanos();
    for (Delivery row : rows) {
      if (live.contains(row.subscriptionPk())) {
        lanes.offer(row, now);
      }
    }
  }

  /**
   * Makes the subscriptions of rows known to the lanes, and takes the rows of deleted ones out of
   * the queue.
   *
   * @return the subscriptions that are not deleted
   */
  private Set<Long> live(List<Delivery> rows) {
    Set<Long> pks = new HashSet<>();
    rows.forEach(row -> pks.add(row.subscriptionPk()));
    List<Long> unknown = pks.stream().filter(pk -> !endpoints.containsKey(pk)).toList();
    if (!unknown.isEmpty()) {
      tools.subscriptions().require(unknown);
      unknown.forEach(this::tellLanes);
    }
    pks.removeIf(this::deleted);
    List<Delivery> cancelled =
        rows.stream().filter(row -> !pks.contains(row.subscriptionPk())).toList();
    if (!cancelled.isEmpty()
        && tools.settler().cancel(lease, cancelled) == Settler.Outcome.FENCED) {
      aborted = true;
    }
    return pks;
  }

  private boolean deleted(long pk) {
    Subscription subscription = endpoints.get(pk);
    return subscription != null && subscription.state() == Subscription.State.DELETED;
  }

  private void tellLanes(long pk) {
    Subscription subscription = tools.subscriptions().get(pk);
    endpoints.put(pk, subscription);
    boolean enabled = subscription.state() == Subscription.State.ENABLED;
    lanes.cap(pk, enabled ? subscription.maxInFlight() : 0);
    if (deleted(pk)) {
      lanes.reread(pk);
    }
  }

  /** Waits for messages, but no longer than until there is something to do. */
  private void receive() throws InterruptedException {
    Message message = mailbox.poll(patience(), TimeUnit.NANOSECONDS);
    while (message != null && !aborted) {
      handle(message);
      message = mailbox.poll();
    }
  }

  private long patience() {
    long now = tools.clock().nanos();
    if (pausedUntil - now > 0) {
      return pausedUntil - now;
    }
    if (releasing) {
      return IDLE.toNanos();
    }
    boolean room = lanes.hasRoom();
    if ((more && room) || (room && !lanes.behind().isEmpty()) || !lanes.wanted(1).isEmpty()) {
      return 0;
    }
    long patience = lanes.canStart() ? PAUSE.toNanos() : IDLE.toNanos();
    OptionalLong wake = lanes.nextWake();
    if (wake.isPresent()) {
      patience = Math.min(patience, wake.getAsLong() - now);
    }
    OptionalLong sweep = cursor.sweepAt();
    if (sweep.isPresent() && room) {
      patience = Math.min(patience, sweep.getAsLong() - now);
    }
    return Math.max(0, patience);
  }

  private void handle(Message message) {
    switch (message) {
      case Message.Wake wake -> {
        wakeWaiting.set(false);
        more = true;
      }
      case Message.Changed changed ->
          changed.subscriptions().stream().filter(endpoints::containsKey).forEach(this::tellLanes);
      case Message.Done done -> land(done.result());
      case Message.Release release -> releasing = true;
      case Message.Abort abort -> aborted = true;
    }
  }

  private void land(AttemptResult result) {
    long lane = KeyLanes.laneOf(result.delivery());
    switch (result) {
      case AttemptResult.Settled settled -> lanes.settled(lane);
      case AttemptResult.Retrying retrying -> {
        lanes.retry(lane, retrying.head());
        if (deleted(retrying.head().subscriptionPk())) {
          lanes.reread(retrying.head().subscriptionPk());
        }
      }
      case AttemptResult.Disabled disabled -> {
        // Held from this moment on, not from the next refresh; that one will find it disabled, or
        // enabled again.
        lanes.cap(disabled.head().subscriptionPk(), 0);
        lanes.retry(lane, disabled.head());
      }
      case AttemptResult.NotSent notSent -> {
        Delivery delivery = notSent.delivery();
        lanes.retry(lane, delivery.postponed(tools.clock().nanos() + PAUSE.toNanos()));
      }
      case AttemptResult.Fenced fenced -> {
        log.warn("{} has another owner by now", lease);
        aborted = true;
      }
    }
  }
}
