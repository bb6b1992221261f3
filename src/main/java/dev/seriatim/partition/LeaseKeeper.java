package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this pod's share of the partitions: claims, renews, gives back, and tells {@link
 * Ownership}. Time passes only when its methods are called.
 *
 * <p>Concurrency: all methods belong to the lease thread. Only {@code released} is written by
 * others: a drainer that has finished puts its lease there, for the next {@link #sweep} to give
 * back.
 */
final class LeaseKeeper {

  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

  private final LeaseStore store;
  private final LeaseSettings settings;
  private final int partitions;
  private final Ownership ownership;
  private final MonotonicClock clock;
  private final Random random;
  private final LeaseMeters meters;
  private final Liveness liveness;
  private final FreeLocks freeLocks = new FreeLocks();

  /** Changed by the lease thread only; concurrent because meters look at it. */
  private final Map<Integer, PartitionLease> held = new ConcurrentHashMap<>();

  private final Map<Integer, CompletableFuture<Void>> releasing = new HashMap<>();
  private final ConcurrentLinkedQueue<PartitionLease> released = new ConcurrentLinkedQueue<>();

  private boolean leaving;

  /** As of the last sweep. Volatile: meters look at it. */
  private volatile int unowned;

  /** Lease thread. Volatile: set before the first lease is held. */
  private volatile Runnable onFreed = () -> {};

  /** Any thread runs it. Volatile: set before the first lease is held. */
  private volatile Runnable onReleased = () -> {};

  LeaseKeeper(
      LeaseStore store,
      LeaseSettings settings,
      int partitions,
      Ownership ownership,
      MonotonicClock clock,
      Random random,
      LeaseMeters meters) {
    this.store = store;
    this.settings = settings;
    this.partitions = partitions;
    this.ownership = ownership;
    this.clock = clock;
    this.random = random;
    this.meters = meters;
    this.liveness = new Liveness(clock, settings.takeoverGrace());
    meters.watch(this);
  }

  /** Whether others can have taken this pod for dead; every lease heeds it. */
  Liveness liveness() {
    return liveness;
  }

  /** What to do when partitions have become free. Must not block. */
  void onFreed(Runnable signal) {
    onFreed = signal;
  }

  /**
   * What to do when a drainer has finished, so that {@link #giveBack} need not wait for the next
   * sweep.
   */
  void onReleased(Runnable signal) {
    onReleased = signal;
  }

  /** Says that this pod lives and renews what it holds; what does not come back renewed is lost. */
  void renew(LeaseSession session) throws SQLException {
    store.heartbeat(session, leaving);
    if (held.isEmpty()) {
      return;
    }
    // Before the request: whenever the database moved lease_until, it was not earlier than this.
    long trustedUntil = trustedFromNow();
    Set<Integer> renewed = store.renew(session.connection(), held.values());
    for (PartitionLease lease : List.copyOf(held.values())) {
      if (renewed.contains(lease.partition())) {
        lease.trustUntil(trustedUntil);
      } else {
        log.warn("Lost the lease of {}", lease);
        lose(lease, LeaseMeters.Cause.LOST);
        held.remove(lease.partition());
        releasing.remove(lease.partition());
      }
    }
  }

  /**
   * Gives back what is drained, frees what dead pods had, and moves towards the fair share: claims
   * what is free or starts releasing.
   */
  void sweep(LeaseSession session) throws SQLException {
    Connection connection = session.connection();
    giveBack(session);
    long began = clock.nanos();
    LeaseStore.Look look = store.look(connection);
    if (!look.names(store.worker(), session.lock())) {
      // Others took this pod for dead, or something sent on a former session came late. Either way
      // they do not see the lock that this one holds.
      renew(session);
    }
    unowned = look.unowned();
    List<FreeLocks.Dead> dead = freeLocks.note(look.workers(), began, clock.nanos());
    List<String> live =
        new ArrayList<>(
            look.workers().stream()
                .filter(LeaseStore.Worker::live)
                .map(LeaseStore.Worker::id)
                .toList());
    for (FreeLocks.Dead pod : dead) {
      bury(connection, pod);
      live.remove(pod.worker()); // and if it has just come back, until the next look
    }
    int change =
        LeasePlanner.change(partitions, live, store.worker(), held.size() - releasing.size());
    if (change > 0 && unowned > 0) {
      claim(connection, change);
    } else if (change < 0) {
      List<PartitionLease> victims = new ArrayList<>(held.values());
      victims.removeIf(lease -> releasing.containsKey(lease.partition()));
      Collections.shuffle(victims, random);
      victims.subList(0, -change).forEach(this::startRelease);
    }
  }

  private void bury(Connection connection, FreeLocks.Dead pod) throws SQLException {
    int freed = store.bury(connection, pod.worker(), pod.lock(), pod.deadFor());
    meters.buried(freed);
    unowned += freed;
    if (freed > 0) {
      onFreed.run();
      log.warn("{} has died: its {} partitions are free", pod.worker(), freed);
    }
  }

  /** When a sweep may find a pod dead, if one is suspected; nanoseconds. */
  OptionalLong nextLook() {
    return freeLocks.nextLook();
  }

  /**
   * Starts to release all that is held, for good: with the next {@link #renew} the others take over
   * this pod's share. {@link #giveBack} then gives back what has finished.
   */
  CompletableFuture<Void> releaseAll() {
    leaving = true;
    for (PartitionLease lease : held.values()) {
      startRelease(lease);
    }
    return CompletableFuture.allOf(releasing.values().toArray(CompletableFuture[]::new));
  }

  /**
   * With a new session: says that this pod lives, renews, and frees what a claim took whose answer
   * never came.
   */
  void resume(LeaseSession session) throws SQLException {
    renew(session);
    store.freeStrays(session.connection(), held.values());
  }

  /** Gives back the partitions whose drainers have finished. */
  void giveBack(LeaseSession session) throws SQLException {
    List<PartitionLease> finished = new ArrayList<>();
    for (PartitionLease lease = released.poll(); lease != null; lease = released.poll()) {
      if (held.get(lease.partition()) == lease) {
        finished.add(lease);
      }
    }
    if (finished.isEmpty()) {
      return;
    }
    try {
      store.release(session.connection(), finished);
    } catch (SQLException e) {
      released.addAll(finished);
      throw e;
    }
    for (PartitionLease lease : finished) {
      meters.count(LeaseMeters.Cause.RELEASED);
      held.remove(lease.partition());
      releasing.remove(lease.partition());
    }
    onFreed.run();
  }

  /**
   * Tells the drainers of whatever is still held that it is lost; for the end of a stop that took
   * too long.
   */
  void abandon() {
    held.values().forEach(lease -> lose(lease, LeaseMeters.Cause.ABANDONED));
    held.clear();
    releasing.clear();
  }

  /** Takes this pod off the list of live ones. */
  void leave(LeaseSession session) throws SQLException {
    store.forgetWorkers(session.connection());
  }

  /** The lease connection is lost and could not be replaced in time. Any thread. */
  void suspend() {
    ownership.suspended();
    meters.suspended();
    log.warn(
        "The lease connection was lost and not replaced in time: requests under way are broken off");
  }

  Collection<PartitionLease> held() {
    return Collections.unmodifiableCollection(held.values());
  }

  int ownedCount() {
    return held.size();
  }

  int unownedCount() {
    return unowned;
  }

  /** Nanoseconds; not a number while nothing is owned. */
  double trustLeft() {
    return held.values().stream()
        .mapToDouble(lease -> Math.max(0, lease.left()))
        .min()
        .orElse(Double.NaN);
  }

  private void claim(Connection connection, int atMost) throws SQLException {
    long trustedUntil = trustedFromNow();
    List<LeaseStore.Claimed> all = store.claim(connection, atMost);
    unowned -= all.size();
    for (LeaseStore.Claimed claimed : all) {
      PartitionLease lease =
          new PartitionLease(
              claimed.partition(),
              claimed.epoch(),
              claimed.owner(),
              clock,
              trustedUntil,
              liveness::trusted);
      meters.claimed(claimed);
      PartitionLease former = held.put(lease.partition(), lease);
      if (former != null) {
        // This pod's own lease ran out in the database and it won it again.
        releasing.remove(former.partition());
        lose(former, LeaseMeters.Cause.LOST);
      }
      ownership.acquired(lease);
    }
  }

  private void lose(PartitionLease lease, LeaseMeters.Cause cause) {
    meters.count(cause);
    ownership.lost(lease);
  }

  private void startRelease(PartitionLease lease) {
    releasing.computeIfAbsent(
        lease.partition(),
        partition ->
            ownership
                .release(lease)
                .whenComplete(
                    (done, failure) -> {
                      released.add(lease);
                      onReleased.run();
                    }));
  }

  private long trustedFromNow() {
    Duration trusted = settings.ttl().minus(settings.margin());
    return clock.nanos() + trusted.toNanos();
  }
}
