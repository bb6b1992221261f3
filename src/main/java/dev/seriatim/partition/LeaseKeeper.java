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
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
  private final String worker;
  private final Ownership ownership;
  private final MonotonicClock clock;
  private final Random random;
  private final Map<Integer, PartitionLease> held = new HashMap<>();
  private final Map<Integer, CompletableFuture<Void>> releasing = new HashMap<>();
  private final ConcurrentLinkedQueue<PartitionLease> released = new ConcurrentLinkedQueue<>();

  /** Any thread runs it. Volatile: set before the first lease is held. */
  private volatile Runnable onReleased = () -> {};

  LeaseKeeper(
      LeaseStore store,
      LeaseSettings settings,
      int partitions,
      String worker,
      Ownership ownership,
      MonotonicClock clock,
      Random random) {
    this.store = store;
    this.settings = settings;
    this.partitions = partitions;
    this.worker = worker;
    this.ownership = ownership;
    this.clock = clock;
    this.random = random;
  }

  /**
   * What to do when a drainer has finished, so that {@link #giveBack} need not wait for the next
   * sweep.
   */
  void onReleased(Runnable signal) {
    onReleased = signal;
  }

  /** Says that this pod lives and renews what it holds; what does not come back renewed is lost. */
  void renew(Connection connection) throws SQLException {
    store.heartbeat(connection);
    if (held.isEmpty()) {
      return;
    }
    // Before the request: whenever the database moved lease_until, it was not earlier than this.
    long trustedUntil = trustedFromNow();
    Set<Integer> renewed = store.renew(connection, held.values());
    for (PartitionLease lease : List.copyOf(held.values())) {
      if (renewed.contains(lease.partition())) {
        lease.trustUntil(trustedUntil);
      } else {
        held.remove(lease.partition());
        releasing.remove(lease.partition());
        log.warn("Lost the lease of {}", lease);
        ownership.lost(lease);
      }
    }
  }

  /**
   * Gives back what is drained, and moves towards the fair share: claims what is free or starts
   * releasing.
   */
  void sweep(Connection connection) throws SQLException {
    giveBack(connection);
    int change =
        LeasePlanner.change(
            partitions, store.liveWorkers(connection), worker, held.size() - releasing.size());
    if (change > 0) {
      claim(connection, change);
    } else if (change < 0) {
      List<PartitionLease> victims = new ArrayList<>(held.values());
      victims.removeIf(lease -> releasing.containsKey(lease.partition()));
      Collections.shuffle(victims, random);
      victims.subList(0, -change).forEach(this::startRelease);
    }
  }

  /** Starts to release all that is held; {@link #giveBack} then gives back what has finished. */
  CompletableFuture<Void> releaseAll() {
    for (PartitionLease lease : held.values()) {
      startRelease(lease);
    }
    return CompletableFuture.allOf(releasing.values().toArray(CompletableFuture[]::new));
  }

  /** Gives back the partitions whose drainers have finished. */
  void giveBack(Connection connection) throws SQLException {
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
      store.release(connection, finished);
    } catch (SQLException e) {
      released.addAll(finished);
      throw e;
    }
    for (PartitionLease lease : finished) {
      held.remove(lease.partition());
      releasing.remove(lease.partition());
    }
  }

  /**
   * Tells the drainers of whatever is still held that it is lost; for the end of a stop that took
   * too long.
   */
  void abandon() {
    held.values().forEach(ownership::lost);
    held.clear();
    releasing.clear();
  }

  /** Takes this pod off the list of live ones. */
  void leave(Connection connection) throws SQLException {
    store.forgetWorkers(connection);
  }

  Collection<PartitionLease> held() {
    return Collections.unmodifiableCollection(held.values());
  }

  private void claim(Connection connection, int atMost) throws SQLException {
    long trustedUntil = trustedFromNow();
    for (LeaseStore.Claimed claimed : store.claim(connection, atMost)) {
      PartitionLease lease =
          new PartitionLease(
              claimed.partition(), claimed.epoch(), claimed.owner(), clock, trustedUntil);
      PartitionLease former = held.put(lease.partition(), lease);
      if (former != null) {
        // This pod's own lease ran out in the database and it won it again.
        releasing.remove(former.partition());
        ownership.lost(former);
      }
      ownership.acquired(lease);
    }
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
