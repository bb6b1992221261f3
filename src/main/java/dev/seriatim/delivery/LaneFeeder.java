package dev.seriatim.delivery;

import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Aside;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.PartitionCursor;
import dev.seriatim.queue.PartitionLog;
import dev.seriatim.queue.Place;
import dev.seriatim.queue.Settler;
import dev.seriatim.subscription.Blocks;
import dev.seriatim.subscription.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
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

  /** Of each lane that is to become known: one that is not of a deleted subscription would do. */
  private static final int ROWS_TO_KNOW = 5;

  private final PartitionLease lease;
  private final PartitionDrainer.Tools tools;
  private final KeyLanes lanes;
  private final HeldRows heldRows;
  private final EndpointGates gates;
  private final PartitionCursor cursor;

  /** The subscriptions the lanes have been told of. */
  private final Map<Long, Subscription> endpoints = new HashMap<>();

  private final HeldLanes heldLanes = new HeldLanes();

  /** Lanes changed by hand that the lanes have not been told of. */
  private final Set<Long> changedLanes = new LinkedHashSet<>();

  private boolean more = true;

  /** Heads that let nothing else start may not be in memory. */
  private boolean moreBlocking;

  private boolean fenced;

  LaneFeeder(
      PartitionLease lease,
      PartitionDrainer.Tools tools,
      KeyLanes lanes,
      EndpointGates gates,
      HeldRows heldRows) {
    this.lease = lease;
    this.tools = tools;
    this.lanes = lanes;
    this.gates = gates;
    this.heldRows = heldRows;
    this.cursor =
        new PartitionCursor(tools.log(), lease, tools.clock(), tools.settings().pageSize());
  }

  /** Before anything else. Blocks for two reads at most. */
  void begin() {
    readBlocking();
    heldRows.begin();
  }

  /** The heads that let nothing else start. */
  private void readBlocking() {
    List<Delivery> blocking = tools.log().blocking(lease);
    Set<Long> live = live(blocking);
    long now = tools.clock().nanos();
    for (Delivery head : blocking) {
      if (live.contains(head.subscriptionPk())) {
        lanes.offerBlocking(due(head), now);
      }
    }
    moreBlocking = false;
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
    if (moreBlocking) {
      readBlocking();
    }
    boolean read = readChangedLanes();
    read |= lanes.hasRoom() && readPlaces(now);
    return readLanes() || read;
  }

  /** When {@link #feed} has something to do next. */
  OptionalLong nextFeed(long now) {
    boolean room = lanes.hasRoom();
    if ((room && (more || !lanes.behind().isEmpty()))
        || moreBlocking
        || !changedLanes.isEmpty()
        || !lanes.wanted(1).isEmpty()) {
      return OptionalLong.of(now);
    }
    return room ? cursor.sweepAt() : OptionalLong.empty();
  }

  /** These subscriptions are not what they were. */
  void changed(Set<Long> subscriptions) {
    subscriptions.stream().filter(endpoints::containsKey).forEach(this::tellLanes);
  }

  /** These lanes were held, resumed or otherwise changed by hand. */
  void changedLanes(Set<Long> changed) {
    heldLanes.forget(changed);
    changedLanes.addAll(changed);
    // At once: none of them may start as it was known before, not even when the partition that was
    // paused goes on in the same moment.
    changed.forEach(lanes::relearn);
  }

  /** Rows have come back, to places that may have been read before. */
  void returned(Aside.Returned returned) {
    require(returned.subscriptions());
    for (long pk : returned.disabled()) {
      if (!disabled(pk)) {
        // Enabled since then, or not known to be disabled: the change that would bring its rows
        // back may never be noticed as one.
        reload(pk);
        if (!disabled(pk)) {
          heldRows.lookForReturns();
        }
      }
    }
    offer(returned.back());
  }

  /** The head of the lane is recorded as the one that holds it. */
  void parked(Delivery head) {
    holdLane(head.laneId(), List.of(head));
  }

  /** What deleted subscriptions have in it comes back at once, to be cancelled. */
  private void holdLane(long lane, List<Delivery> rows) {
    heldRows.laneHeld(lane);
    if (rows.stream().anyMatch(row -> deleted(row.subscriptionPk()))) {
      heldRows.lookForReturns();
    }
  }

  /** The subscription has been changed by a verdict; reads at once what it is now. */
  void reload(long subscriptionPk) {
    tools.subscriptions().reload(subscriptionPk);
    tellLanes(subscriptionPk);
  }

  /** Whether what is queued for the subscription is to be cancelled. */
  boolean deleted(long subscriptionPk) {
    return is(Subscription.State.DELETED, subscriptionPk);
  }

  private boolean disabled(long subscriptionPk) {
    return is(Subscription.State.DISABLED, subscriptionPk);
  }

  private boolean is(Subscription.State state, long subscriptionPk) {
    Subscription subscription = endpoints.get(subscriptionPk);
    return subscription != null && subscription.state() == state;
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
    lanes.readingBehind(behind, page.size() < limit ? null : Place.of(page.getLast()).after());
    offer(page);
  }

  private boolean readLanes() {
    List<KeyLanes.LaneRead> wanted = lanes.wanted(LANES_PER_READ);
    if (wanted.isEmpty()) {
      return false;
    }
    int limit = lanes.rowsPerLane(wanted.size());
    Map<Long, PartitionLog.LaneRows> found =
        tools
            .log()
            .lanes(
                lease,
                wanted.stream()
                    .map(read -> new PartitionLog.LaneFrom(read.lane(), read.from()))
                    .toList(),
                limit);
    List<Delivery> all = new ArrayList<>();
    found.values().stream().filter(lane -> !lane.held()).forEach(lane -> all.addAll(lane.rows()));
    Set<Long> live = live(all);
    for (KeyLanes.LaneRead read : wanted) {
      PartitionLog.LaneRows lane = found.get(read.lane());
      if (lane != null && isHeld(read.lane(), lane)) {
        lanes.held(read);
        continue;
      }
      List<Delivery> rows = lane == null ? List.of() : lane.rows();
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

  /** Also sees to it that the rows of the lane come to stand where they belong. */
  private boolean isHeld(long lane, PartitionLog.LaneRows found) {
    if (found.held()) {
      heldLanes.found(lane, cursor.horizon());
      holdLane(lane, found.rows());
    } else if (found.aside()) {
      heldRows.laneResumed(lane);
    }
    return found.held();
  }

  private boolean allDeleted(PartitionLog.LaneRows lane) {
    return !lane.held() && lane.rows().stream().allMatch(row -> deleted(row.subscriptionPk()));
  }

  private boolean readChangedLanes() {
    if (changedLanes.isEmpty()) {
      return false;
    }
    List<Long> some = changedLanes.stream().limit(LANES_PER_READ).toList();
    // A lane that is not in memory becomes known by a row of it, as in any other read.
    List<PartitionLog.LaneFrom> unknown =
        some.stream()
            .filter(lane -> !lanes.knows(lane))
            .map(lane -> new PartitionLog.LaneFrom(lane, 0))
            .toList();
    List<Delivery> rows = new ArrayList<>();
    Map<Long, PartitionLog.LaneRows> found = tools.log().lanes(lease, unknown, ROWS_TO_KNOW);
    found.forEach(
        (lane, read) -> {
          if (!isHeld(lane, read)) {
            rows.addAll(read.rows());
          }
        });
    offer(rows);
    // What was found of deleted subscriptions only has just been cancelled; there may be more.
    some.stream()
        .filter(lane -> !found.containsKey(lane) || !allDeleted(found.get(lane)))
        .forEach(changedLanes::remove);
    return true;
  }

  private void offer(List<Delivery> rows) {
    Set<Long> live = live(rows);
    long now = tools.clock().nanos();
    for (Delivery row : rows) {
      if (live.contains(row.subscriptionPk()) && !heldLanes.holds(row)) {
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
    require(pks).stream().filter(this::disabled).forEach(heldRows::subscriptionDisabled);
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

  /** From now on their changes are heard of. @return those of which the lanes had not been told */
  private List<Long> require(Collection<Long> pks) {
    List<Long> unknown = pks.stream().filter(pk -> !endpoints.containsKey(pk)).toList();
    if (!unknown.isEmpty()) {
      tools.subscriptions().require(unknown);
      gates.require(unknown);
      unknown.forEach(this::tellLanes);
    }
    return unknown;
  }

  private void tellLanes(long pk) {
    Subscription subscription = tools.subscriptions().get(pk);
    Subscription former = endpoints.put(pk, subscription);
    boolean enabled = subscription.state() == Subscription.State.ENABLED;
    lanes.cap(pk, enabled ? tools.settings().cap(subscription.maxInFlight()) : 0);
    gates.tell(subscription);
    boolean blocks = enabled && subscription.blocks() == Blocks.PARTITION;
    lanes.blocks(pk, blocks);
    moreBlocking |= blocks && former != null;
    if (former != null && former.state() != subscription.state()) {
      if (disabled(pk)) {
        heldRows.subscriptionDisabled(pk);
      } else {
        heldRows.lookForReturns();
      }
    }
    if (deleted(pk)) {
      lanes.reread(pk);
    } else if (former != null && !former.retry().equals(subscription.retry())) {
      lanes.reschedule(pk, this::due);
    }
  }
}
