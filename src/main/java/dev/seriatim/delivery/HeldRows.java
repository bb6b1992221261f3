package dev.seriatim.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Aside;
import dev.seriatim.queue.Place;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the rows of one partition aside and back while others are delivered, one bounded step after
 * the other, each followed by a rest as long as it took.
 *
 * <p>Concurrency: any thread asks, and never waits; one virtual thread at a time works off what was
 * asked. Ends with the drainer's attempts. A crash leaves rows where they are: those that should
 * stand aside are met by the next owner's scan, and those that should not by the pass that it
 * begins with.
 */
final class HeldRows {

  private static final Logger log = LoggerFactory.getLogger(HeldRows.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int STEP = 1000;

  /** What a new owner reads and sends first is not to wait for its pass over what stands aside. */
  private static final Duration BEGIN_AFTER = Duration.ofMillis(200);

  private sealed interface Task {
    record LaneAside(long lane) implements Task {}

    record LaneBack(long lane) implements Task {}

    record SubscriptionAside(long pk) implements Task {}

    record Back() implements Task {}

    record Rest() implements Task {}
  }

  private final PartitionLease lease;
  private final AttemptScope scope;
  private final Aside aside;
  private final MonotonicClock clock;
  private final Consumer<Aside.Returned> back;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final LinkedHashSet<Task> tasks = new LinkedHashSet<>();

  @GuardedBy("lock")
  private boolean working;

  /**
   * @param back gets what comes back, to places that may have been read before; must not block
   */
  HeldRows(
      PartitionLease lease,
      AttemptScope scope,
      Aside aside,
      MonotonicClock clock,
      Consumer<Aside.Returned> back) {
    this.lease = lease;
    this.scope = scope;
    this.aside = aside;
    this.clock = clock;
    this.back = back;
  }

  /** The partition is new to this owner: rows may stand aside without a reason. */
  void begin() {
    ask(new Task.Rest());
    lookForReturns();
  }

  /** The lane is held: its rows are not to be passed by any more. */
  void laneHeld(long lane) {
    ask(new Task.LaneAside(lane));
  }

  /** The lane is not held any more, and rows of it stand aside. */
  void laneResumed(long lane) {
    ask(new Task.LaneBack(lane));
  }

  void subscriptionDisabled(long pk) {
    ask(new Task.SubscriptionAside(pk));
  }

  /** Rows may stand aside without a reason. */
  void lookForReturns() {
    ask(new Task.Back());
  }

  private void ask(Task task) {
    lock.lock();
    try {
      tasks.add(task);
      if (!working) {
        working = true;
        Thread.ofVirtual().name("held-rows-" + lease.partition()).start(this::work);
      }
    } finally {
      lock.unlock();
    }
  }

  private void work() {
    for (Task task = next(); task != null; task = next()) {
      while (!done(task)) {
        if (over(PAUSE)) {
          return;
        }
      }
    }
  }

  private @Nullable Task next() {
    lock.lock();
    try {
      // Asked for again from here on, it is done again.
      working = !tasks.isEmpty() && !scope.stopping();
      return working ? tasks.removeFirst() : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * @return false when it must be tried again
   */
  private boolean done(Task task) {
    try {
      switch (task) {
        case Task.LaneAside held -> alongLane(held.lane(), aside::laneAside);
        case Task.LaneBack resumed -> alongLane(resumed.lane(), aside::laneBack);
        case Task.SubscriptionAside disabled -> subscriptionAside(disabled.pk());
        case Task.Back all -> back();
        case Task.Rest first -> over(BEGIN_AFTER);
      }
      return true;
    } catch (RuntimeException | Error e) {
      // An Error as well: nobody else would work off what was asked.
      if (!scope.stopping()) {
        log.warn("Rows of {} cannot be moved aside or back; trying again: {}", lease, e.toString());
      }
      return false;
    }
  }

  private interface LaneStep {
    OptionalLong from(long lane, long after, int limit);
  }

  private void alongLane(long lane, LaneStep step) {
    OptionalLong after = OptionalLong.of(0);
    while (after.isPresent()) {
      long start = clock.nanos();
      after = step.from(lane, after.getAsLong(), STEP);
      if (rests(start)) {
        return;
      }
    }
  }

  private void subscriptionAside(long pk) {
    Place after = Place.START;
    while (after != null) {
      long start = clock.nanos();
      after = aside.subscriptionAside(lease.partition(), pk, after, STEP);
      if (rests(start)) {
        return;
      }
    }
  }

  private void back() {
    Place after = Place.START;
    while (after != null) {
      long start = clock.nanos();
      Aside.Returned returned = aside.back(lease, after, STEP);
      if (!returned.back().isEmpty() || !returned.subscriptions().isEmpty()) {
        back.accept(returned);
      }
      after = returned.last();
      if (rests(start)) {
        return;
      }
    }
  }

  /**
   * @return whether it is over
   */
  private boolean rests(long since) {
    return over(Duration.ofNanos(clock.nanos() - since));
  }

  private boolean over(Duration wait) {
    try {
      return scope.stopping() || scope.abortedWithin(wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
