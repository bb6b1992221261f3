package dev.seriatim.delivery;

import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.PartitionCursor;
import dev.seriatim.queue.PartitionLog;
import dev.seriatim.queue.Place;
import dev.seriatim.queue.Settler;
import dev.seriatim.subscription.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Brings the rows of a partition's queue to its {@link KeyLanes}: onwards by place, what was passed
 * over, and the lines that run low. Rows of deleted subscriptions it takes out of the queue
 * instead.
 *
 * <p>Concurrency: none, one drainer's own. Blocks on reads of the database. After any exception
 * {@link #rewind} must be called: what had been read may not have reached the lanes.
 */
final class LaneFeeder {

  private static final int LANES_PER_READ = 200;

  private final PartitionLease lease;
  private final PartitionDrainer.Tools tools;
  private final KeyLanes lanes;
  private final EndpointGates gates;
  private final PartitionCursor cursor;

  /** The subscriptions the lanes have been told of. */
  private final Map<Long, Subscription> endpoints = new HashMap<>();

  private boolean more = true;
  private boolean fenced;

  LaneFeeder(
      PartitionLease lease, PartitionDrainer.Tools tools, KeyLanes lanes, EndpointGates gates) {
    this.lease = lease;
    this.tools = tools;
    this.lanes = lanes;
    this.gates = gates;
    this.cursor =
        new PartitionCursor(tools.log(), lease, tools.clock(), tools.settings().pageSize());
  }

  /** There may be rows behind the last one read. */
  void expectMore() {
    more = true;
  }

  /** Reads again from the first row on; what the lanes know already they recognise. */
  void rewind() {
    cursor.rewind();
    more = true;
  }

  /** Whether a write found that the partition has another owner by now. */
  boolean fenced() {
    return fenced;
  }

  /** The place behind which something may be new. Any thread. */
  Place seen() {
    return cursor.seen();
  }

  /**
   * Reads what there is to read at once, at most a page of each kind. @return whether anything was
   * read
   */
  boolean feed(long now) {
    boolean read = lanes.hasRoom() && readPlaces(now);
    return readLanes() || read;
  }

  /** When {@link #feed} has something to do next. */
  OptionalLong nextFeed(long now) {
    boolean room = lanes.hasRoom();
    if ((room && (more || !lanes.behind().isEmpty())) || !lanes.wanted(1).isEmpty()) {
      return OptionalLong.of(now);
    }
    return room ? cursor.sweepAt() : OptionalLong.empty();
  }

  /** These subscriptions are not what they were. */
  void changed(Set<Long> subscriptions) {
    subscriptions.stream().filter(endpoints::containsKey).forEach(this::tellLanes);
  }

  /** The subscription has been changed by a verdict; reads at once what it is now. */
  void reload(long subscriptionPk) {
    tools.subscriptions().reload(subscriptionPk);
    tellLanes(subscriptionPk);
  }

  /** Whether what is queued for the subscription is to be cancelled. */
  boolean deleted(long subscriptionPk) {
    Subscription subscription = endpoints.get(subscriptionPk);
    return subscription != null && subscription.state() == Subscription.State.DELETED;
  }

  /** The same delivery, due when its subscription's policy says now. */
  Delivery due(Delivery delivery) {
    Subscription subscription = endpoints.get(delivery.subscriptionPk());
    return subscription == null
        ? delivery
        : delivery.rescheduled(FailurePolicy.dueAt(subscription.retry(), delivery));
  }

  private boolean readPlaces(long now) {
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
    // All rows, not the endpoint's alone: a page is then bounded by its size, however few are the
    // endpoint's.
    List<Delivery> page = tools.log().page(lease, behind.from().before(), limit).deliveries();
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
          rows.stream().filter(row -> live.contains(row.subscriptionPk())).map(this::due).toList(),
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
        lanes.offer(due(row), now);
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
      gates.require(unknown);
      unknown.forEach(this::tellLanes);
    }
    pks.removeIf(this::deleted);
    // One that is being sent is left to its verdict.
    List<Delivery> cancelled =
        rows.stream()
            .filter(row -> !pks.contains(row.subscriptionPk()) && !lanes.sending(row))
            .toList();
    if (!cancelled.isEmpty()
        && tools.settler().cancel(lease, cancelled) == Settler.Outcome.FENCED) {
      fenced = true;
    }
    return pks;
  }

  private void tellLanes(long pk) {
    Subscription subscription = tools.subscriptions().get(pk);
    Subscription former = endpoints.put(pk, subscription);
    boolean enabled = subscription.state() == Subscription.State.ENABLED;
    lanes.cap(pk, enabled ? tools.settings().cap(subscription.maxInFlight()) : 0);
    gates.tell(subscription);
    if (deleted(pk)) {
      lanes.reread(pk);
    } else if (former != null && !former.retry().equals(subscription.retry())) {
      lanes.reschedule(pk, this::due);
    }
  }
}
