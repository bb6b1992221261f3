package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Aside;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.PartitionLog;
import dev.seriatim.queue.Place;
import dev.seriatim.queue.Settler;
import java.time.Duration;
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
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(200);

  private sealed interface Message {
    record Wake() implements Message {}

    record Changed(Set<Long> subscriptions) implements Message {}

    record ChangedLanes(Set<Long> lanes) implements Message {}

    record EmptiedLanes(Set<Long> lanes) implements Message {}

    record Paused(boolean paused) implements Message {}

    record Returned(Aside.Returned returned) implements Message {}

    record Missed() implements Message {}

    record Done(AttemptResult result) implements Message {}

    record Release() implements Message {}

    record Abort() implements Message {}
  }

  /** What all drainers of a pod share. */
  record Tools(
      PartitionLog log,
      SubscriptionCache subscriptions,
      HoldWatch holds,
      Aside aside,
      Attempts attempts,
      Settler settler,
      MonotonicClock clock,
      DrainSettings settings,
      EndpointGates.Shared gates,
      Duration longestDeadline) {}

  private final PartitionLease lease;
  private final Tools tools;
  private final AttemptScope scope;
  private final KeyLanes lanes;
  private final EndpointGates gates;
  private final LaneFeeder feeder;
  private final DrainActivity activity;
  private final BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
  private final AtomicBoolean wakeWaiting = new AtomicBoolean();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /** Volatile: read by the poller, which tells of what is otherwise. */
  private volatile boolean paused;

  private CompletableFuture<Void> quiet = ended;
  private boolean begun;
  private boolean releasing;
  private boolean aborted;
  private boolean failing;
  private long pausedUntil;

  PartitionDrainer(PartitionLease lease, Tools tools) {
    this.lease = lease;
    this.tools = tools;
    this.scope = new AttemptScope(lease);
    this.activity = new DrainActivity(lease, tools.clock());
    this.lanes = new KeyLanes(tools.settings().lanes());
    this.gates = new EndpointGates(lease, tools, lanes);
    this.feeder =
        new LaneFeeder(
            lease,
            tools,
            lanes,
            gates,
            new HeldRows(
                lease,
                scope,
                tools.aside(),
                tools.clock(),
                returned -> mailbox.add(new Message.Returned(returned)),
                () -> mailbox.add(new Message.Missed())));
    this.pausedUntil = tools.clock().nanos();
  }

  /**
   * Starts once the partition's former drainer of this pod is quiet: a request of it that is still
   * being aborted must be over before its lane is sent anew.
   */
  void startAfter(CompletableFuture<Void> formerQuiet) {
    quiet = CompletableFuture.allOf(formerQuiet, scope.quiet());
    var unused =
        formerQuiet.thenRun(
            () -> Thread.ofVirtual().name("drainer-" + lease.partition()).start(this::run));
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

  /** These lanes were held, resumed or otherwise changed by hand. Any thread; never blocks. */
  void changedLanes(Set<Long> lanes) {
    mailbox.add(new Message.ChangedLanes(lanes));
  }

  /** The last delivery of these lanes, here or elsewhere, was taken out. Any thread. */
  void emptiedLanes(Set<Long> lanes) {
    mailbox.add(new Message.EmptiedLanes(lanes));
  }

  /** Whether the partition is paused, as somebody saw it. Any thread; never blocks. */
  void paused(boolean seen) {
    if (seen != paused) {
      mailbox.add(new Message.Paused(seen));
    }
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

  /** Ends the requests under way; they come again once the lease is trusted again. Any thread. */
  void breakOff() {
    scope.breakOff();
  }

  /**
   * Completes when no request for the partition is under way and none can start any more. Lease
   * thread.
   */
  CompletableFuture<Void> quiet() {
    return quiet;
  }

  PartitionLease lease() {
    return lease;
  }

  /** The place behind which something may be new to it. Any thread. */
  Place seen() {
    return feeder.seen();
  }

  /** What it is doing. Any thread. */
  DrainActivity activity() {
    return activity;
  }

  private void run() {
    aborted = scope.aborted();
    try {
      while (!aborted && !(releasing && lanes.inFlight() == 0)) {
        try {
          step();
          receive();
        } catch (InterruptedException e) {
          aborted = true;
        } catch (RuntimeException | Error e) {
          // An Error as well: the lease would go on without anybody draining.
          pause(e);
        }
      }
    } finally {
      gates.close();
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
    begin();
    gates.open(now);
    gates.record().forEach(feeder::reload);
    startReady();
    if (feeder.feed(now)) {
      startReady();
    }
    aborted |= feeder.fenced() || gates.fenced();
    failing = false;
  }

  /** What must be known before anything is sent. */
  private void begin() {
    if (!begun) {
      paused = tools.holds().begin(lease.partition());
      feeder.begin();
      begun = true;
    }
  }

  private void pause(Throwable failure) {
    if (!failing) {
      log.warn("Draining {} pauses", lease, failure);
      failing = true;
    }
    feeder.rewind();
    pausedUntil = tools.clock().nanos() + PAUSE.toNanos();
  }

  private void startReady() {
    // Before a renewal that is late, nothing starts: a request would not be over when the lease may
    // be.
    if (paused || !lease.outlives(tools.longestDeadline())) {
      return;
    }
    for (Delivery next = lanes.next(); next != null; next = lanes.next()) {
      gates.started(next);
      activity.started();
      tools.attempts().start(scope, next, result -> mailbox.add(new Message.Done(result)));
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
    long patience = lanes.canStart() && !paused ? PAUSE.toNanos() : IDLE.toNanos();
    patience = Math.min(patience, untilIf(lanes.nextWake(), now));
    patience = Math.min(patience, untilIf(gates.nextOpening(), now));
    patience = Math.min(patience, untilIf(feeder.nextFeed(now), now));
    return Math.max(0, patience);
  }

  private static long untilIf(OptionalLong time, long now) {
    return time.isPresent() ? time.getAsLong() - now : Long.MAX_VALUE;
  }

  private void handle(Message message) {
    switch (message) {
      case Message.Wake wake -> {
        wakeWaiting.set(false);
        feeder.expectMore();
      }
      case Message.Changed changed -> feeder.changed(changed.subscriptions());
      case Message.ChangedLanes changed -> feeder.changedLanes(changed.lanes());
      case Message.EmptiedLanes emptied -> emptied.lanes().forEach(lanes::relearn);
      case Message.Paused seen -> paused(seen);
      case Message.Returned returned -> feeder.returned(returned.returned());
      case Message.Missed missed -> feeder.rewind();
      case Message.Done done -> land(done.result());
      case Message.Release release -> releasing = true;
      case Message.Abort abort -> aborted = true;
    }
  }

  private void paused(Message.Paused seen) {
    // Seen before or after the pause that a verdict brought? Only a fresh look can tell.
    paused = seen.paused() || tools.holds().paused(lease.partition());
    if (!paused) {
      // What ran out of attempts may have begun anew; of lanes the change itself tells.
      lanes.forgetUnordered();
      feeder.rewind();
    }
  }

  private void land(AttemptResult result) {
    long lane = KeyLanes.laneOf(result.delivery());
    gates.landed(result);
    activity.landed(result);
    switch (result) {
      case AttemptResult.Settled settled -> lanes.settled(lane);
      case AttemptResult.Retrying retrying -> stays(lane, retrying.head());
      case AttemptResult.Disabled disabled -> {
        long endpoint = disabled.head().subscriptionPk();
        // Held from this moment on, whatever else there is to hear of the subscription.
        lanes.cap(endpoint, 0);
        stays(lane, disabled.head());
        feeder.reload(endpoint);
      }
      case AttemptResult.Parked parked -> {
        lanes.parked(lane);
        feeder.parked(parked.delivery());
      }
      case AttemptResult.Paused pausing -> {
        paused = true;
        stays(lane, pausing.head());
      }
      case AttemptResult.NotSent notSent -> {
        Delivery delivery = notSent.delivery();
        stays(lane, delivery.postponed(tools.clock().nanos() + PAUSE.toNanos()));
      }
      case AttemptResult.Fenced fenced -> {
        log.warn("{} has another owner by now", lease);
        aborted = true;
      }
    }
  }

  /**
   * Still the head, due under the policy as the lanes know it: the verdict may be older. If its
   * subscription was deleted while it was under way, it is read again now, to be cancelled: nothing
   * else would ever move it.
   */
  private void stays(long lane, Delivery head) {
    lanes.retry(lane, feeder.due(head));
    if (feeder.deleted(head.subscriptionPk())) {
      lanes.reread(head.subscriptionPk());
    }
  }
}
