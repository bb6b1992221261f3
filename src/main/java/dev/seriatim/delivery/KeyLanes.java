package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.Place;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one partition: deliveries read from the queue go in, "send this one" comes out, at
 * most one of a lane at a time and always in sequence. A pure state machine: no I/O, no clock and
 * no threads of its own.
 *
 * <p><b>A lane</b> is in memory only while it has something to do. Its line is a contiguous piece
 * of the lane as it stands in the table, from the head on. Rows of the lane beyond the line are not
 * kept but remembered as one bit, {@code more}: the line is filled up from the table, by sequence,
 * when it runs low ({@link #wanted}). That one rule serves all cases: a lane longer than its
 * buffer, a row that is offered out of order, a lane whose first offered row need not be its head,
 * a lane cut down to its head because it waits, one into which a lower sequence came back, and one
 * that was changed by hand. A held lane is not in memory: the read that finds it held ends it.
 *
 * <pre>
 *                                                     next()
 *  (absent) <-------------------- READY ----------------------> SENDING
 *   |    ^     held                ^ ^                           |  |  |
 *   |    | held                    | | settled, line left        |  |  |
 *   |    |                         | +---------------------------+  |  |
 *   |    |     settled, line empty | |                              |  |
 *   |    +-------------------------|-|------------------------------+  |
 *   | offer                        | |                              |  |
 *   v          fetched             | |       settled, more          |  |
 *  UNREAD -------------------------+ |     retry, changed meanwhile |  |
 *   ^  ^                             | wake()                       |  |
 *   |  +-----------------------------|------------------------------+  |
 *   |          relearn               |                 retry           |
 *   +----------------------------- WAITING <---------------------------+
 * </pre>
 *
 * <p><b>An endpoint</b> is what the head of a lane is sent to. It has a cap of lanes in flight; a
 * cap of zero holds it. Endpoints with something to start take turns, so that one with ten thousand
 * ready lanes gets no more turns than one with a single lane. An endpoint that has more ready lanes
 * than {@link Limits#lanesPerEndpoint} is spilled: rows of further lanes are passed over and the
 * lowest place passed over is remembered ({@link #behind}), to be read again when there is room.
 * Waiting lanes keep their heads only and have a bound ten times as high. A lane that has had many
 * turns while others of its endpoint are passed over makes room for them.
 *
 * <p>Deliveries without order are lanes of one, which need no read.
 *
 * <p>Concurrency: none. Owned by one thread, the drainer's. After a crash or the loss of the lease
 * it is thrown away and filled anew from the table.
 */
final class KeyLanes {

  /**
   * @param inFlight lanes of the partition that may send at once, at least 1; 1 sends one request
   *     at a time
   * @param linePerLane deliveries kept per lane, at least 1
   * @param lines deliveries kept behind the heads over all lanes; a lane always keeps its head
   * @param lanesPerEndpoint lanes of one endpoint kept while they are ready or sending, at least 1
   */
  record Limits(int inFlight, int linePerLane, int lines, int lanesPerEndpoint) {}

  /** A piece of a lane to be read from the table: the rows from {@code from} on, lowest first. */
  record LaneRead(long lane, long from) {}

  /** Rows of an endpoint that were passed over, from {@code from} on. */
  record EndpointRead(long endpoint, Place from) {}

  private final Limits limits;
  private final Map<Long, Lane> lanes = new HashMap<>();
  private final Blockers blockers = new Blockers();
  private final Turns turns;
  private final Lines lines;
  private final Spills spills;
  private final WaitingLanes waiting = new WaitingLanes();

  KeyLanes(Limits limits) {
    this.limits = limits;
    this.turns = new Turns(limits.inFlight(), blockers);
    this.lines = new Lines(limits);
    this.spills = new Spills(limits);
  }

  /** The key under which a delivery's lane is known here. */
  static long laneOf(Delivery delivery) {
    return delivery.ordered() ? delivery.laneId() : -delivery.id();
  }

  /**
   * Sets how many lanes of an endpoint may send at once; 0 holds it. Must be called before its
   * first delivery.
   */
  void cap(long endpointPk, int cap) {
    cutIfHeld(turns.cap(endpointPk, cap));
  }

  /**
   * Sets what the gate of an endpoint lets pass, beside its cap.
   *
   * @param atOnce lanes that may send at once; 0 holds it
   * @param paused lets none start for the moment, without holding it
   */
  void gate(long endpointPk, int atOnce, boolean paused) {
    cutIfHeld(turns.gate(endpointPk, atOnce, paused));
  }

  private void cutIfHeld(Endpoint endpoint) {
    if (endpoint.held()) {
      endpoint.ready.forEach(lines::cutToHead);
    }
    judgeAll(endpoint);
  }

  /**
   * Sets whether a failing head of the endpoint lets nothing else of the partition start. Its cap
   * must have been set.
   */
  void blocks(long endpointPk, boolean blocks) {
    Endpoint endpoint = turns.endpoint(endpointPk);
    blockers.endpoint(endpoint, blocks);
    judgeAll(endpoint);
  }

  private void judgeAll(Endpoint endpoint) {
    if (endpoint.blocks || !blockers.none()) {
      lanes.values().stream()
          .filter(lane -> lane.endpoint == endpoint && !lane.line.isEmpty())
          .forEach(blockers::judge);
    }
  }

  /**
   * Takes a failing head that is known to let nothing else start, whatever room there is: nothing
   * does before its lane is read.
   */
  void offerBlocking(Delivery head, long now) {
    Lane lane = lanes.get(laneOf(head));
    if (lane == null) {
      lane = addLane(head, turns.endpoint(head.subscriptionPk()), now);
    }
    if (lane.state == Lane.State.UNREAD) {
      blockers.expect(lane);
    }
  }

  /** Whether it is worth reading on: fewer lanes could start than may be in flight. */
  boolean hasRoom() {
    return turns.startable() < limits.inFlight;
  }

  /** Whether {@link #next} would bring something. */
  boolean canStart() {
    return turns.canStart();
  }

  /**
   * Takes a row of the partition, in any order, as often as it is read. A row that is already known
   * is ignored. One that came back with a lower sequence than the head's goes before it: the lane
   * is read again.
   *
   * @param now nanoseconds on the clock of {@link Delivery#dueAt}
   */
  void offer(Delivery delivery, long now) {
    Lane lane = lanes.get(laneOf(delivery));
    if (lane == null) {
      offerNewLane(delivery, now);
    } else if (delivery.sequence() >= lane.next) {
      if (delivery.sequence() == lane.next && !lane.more && lines.hasRoom(lane)) {
        lines.append(lane, delivery);
      } else {
        lane.more = true;
        lines.consider(lane);
      }
    } else if (delivery.ordered() && delivery.replay() != null && !lane.has(delivery)) {
      rereadFrom(lane, delivery.sequence());
    }
  }

  private void offerNewLane(Delivery delivery, long now) {
    Endpoint endpoint = turns.endpoint(delivery.subscriptionPk());
    if (spills.full(endpoint)) {
      spills.passOver(endpoint, Place.of(delivery));
    } else {
      addLane(delivery, endpoint, now);
    }
  }

  private Lane addLane(Delivery delivery, Endpoint endpoint, long now) {
    Lane lane = new Lane(laneOf(delivery), endpoint);
    lanes.put(lane.key, lane);
    endpoint.lanes++;
    // What has no lane is its own head. Of any other only a read by sequence can tell the head,
    // even of the first of a lane: whether the lane is held, and what came back.
    if (!delivery.ordered()) {
      lines.append(lane, delivery);
      arrive(lane, now);
    } else {
      lane.more = true;
      lines.consider(lane);
    }
    return lane;
  }

  /**
   * Lanes whose line should be filled from the table, the most urgent first; stays wanted until
   * {@link #fetched}.
   */
  List<LaneRead> wanted(int atMost) {
    return lines.wanted(atMost);
  }

  /** How many rows per lane a read of this many lanes should bring at most, at least 1. */
  int rowsPerLane(int laneCount) {
    return lines.rowsPerLane(laneCount);
  }

  /**
   * What the table holds of a lane, from the place it asked for.
   *
   * @param rows in sequence, the lowest there are; rows that are not to be sent are left out
   * @param complete whether the table held no more than was read
   * @param through the highest sequence read, including what was left out; below the asked place
   *     when nothing was
   */
  void fetched(LaneRead read, List<Delivery> rows, boolean complete, long through, long now) {
    Lane lane = lanes.get(read.lane());
    if (lane == null || lane.state == Lane.State.WAITING || lane.next != read.from()) {
      return;
    }
    lines.fed(lane);
    lane.more = !complete;
    lane.next = Math.max(lane.next, through + 1);
    boolean wasEmpty = lane.line.isEmpty();
    for (Delivery row : rows) {
      if (!lane.line.isEmpty() && !lines.hasRoom(lane)) {
        lane.more = true;
        lane.next = row.sequence();
        break;
      }
      lines.push(lane, row);
    }
    if (wasEmpty && !lane.line.isEmpty()) {
      arrive(lane, now);
    } else if (lane.line.isEmpty() && !lane.more) {
      remove(lane);
      return;
    }
    lines.consider(lane);
  }

  /** The table says that the lane is held: nothing of it is kept. What is being sent stays. */
  void held(LaneRead read) {
    Lane lane = lanes.get(read.lane());
    if (lane == null) {
      return;
    }
    if (lane.state == Lane.State.SENDING) {
      lines.fed(lane); // or it would be read again and again until the head has landed
      rereadFrom(lane, 0);
    } else {
      takeOut(lane);
      remove(lane);
    }
  }

  /** Whether anything of the lane is in memory. */
  boolean knows(long key) {
    return lanes.containsKey(key);
  }

  /**
   * What the table holds of a lane may not be what is known here: it is read again from its
   * beginning, once what is being sent has landed. Nothing happens to a lane that is not in memory.
   */
  void relearn(long key) {
    Lane lane = lanes.get(key);
    if (lane != null) {
      rereadFrom(lane, 0);
    }
  }

  /**
   * The same for what has no lane: it is forgotten, to be offered again. What is being sent stays.
   */
  void forgetUnordered() {
    for (Lane lane : List.copyOf(lanes.values())) {
      if (lane.key < 0 && lane.state != Lane.State.SENDING) {
        takeOut(lane);
        remove(lane);
      }
    }
  }

  private void rereadFrom(Lane lane, long from) {
    if (lane.state == Lane.State.SENDING) {
      lane.rereadFrom = Math.min(lane.rereadFrom, from);
      return;
    }
    takeOut(lane);
    unread(lane, from);
  }

  /** The lane neither waits nor is ready any more. */
  private void takeOut(Lane lane) {
    switch (lane.state) {
      case WAITING -> waiting.remove(lane);
      case READY -> turns.unready(lane);
      case UNREAD, SENDING -> {}
    }
  }

  private void unread(Lane lane, long from) {
    blockers.reread(lane);
    lines.unread(lane, Math.min(from, lane.first()));
  }

  /**
   * Endpoints that were passed over and have room again. Reading them starts with {@link
   * #readingBehind}.
   */
  List<EndpointRead> behind() {
    return spills.behind();
  }

  /**
   * The rows of an endpoint from the place that was passed over are about to be offered.
   *
   * @param onwards the place up to which they were read if there may be more, null if that was all
   */
  void readingBehind(EndpointRead read, @Nullable Place onwards) {
    spills.reading(turns.endpoint(read.endpoint()), read.from(), onwards);
  }

  /**
   * The next delivery to send, or null when none can start; its lane is sending until a verdict
   * comes back.
   */
  @Nullable Delivery next() {
    Lane lane = turns.start();
    if (lane == null) {
      return null;
    }
    lane.state = Lane.State.SENDING;
    return lane.line.getFirst();
  }

  /**
   * The head is out of the queue: delivered, ejected or cancelled, and recorded. The lane goes on.
   */
  void settled(long key) {
    Lane lane = landed(key);
    Delivery head = lines.removeHead(lane);
    lane.turns++;
    if (lane.stale()) {
      unread(lane, lane.rereadFrom);
    } else if (!lane.line.isEmpty() && spills.mustMakeRoom(lane)) {
      spills.passOver(lane.endpoint, Place.of(lane.line.getFirst()));
      remove(lane);
    } else if (!lane.line.isEmpty()) {
      goOn(lane, lane.line.getFirst());
    } else if (lane.more) {
      lane.state = Lane.State.UNREAD;
      blockers.judge(lane);
      if (head.replay() != null) {
        blockers.reread(lane); // next comes the head that the lane had, which may have failed
      }
      lines.consider(lane);
    } else {
      remove(lane);
    }
  }

  private void goOn(Lane lane, Delivery next) {
    moveTo(lane, turns.endpoint(next.subscriptionPk()));
    if (next.attempts() > 0) {
      // It was the head before, and had to wait.
      waitUntil(lane, next.dueAt());
    } else {
      ready(lane);
      lines.consider(lane);
    }
  }

  /**
   * The head stays in the queue and is to be tried again when it is due. Only this lane waits, and
   * keeps its head only.
   */
  void retry(long key, Delivery head) {
    Lane lane = landed(key);
    lane.replaceHead(head);
    if (lane.stale()) {
      unread(lane, lane.rereadFrom);
    } else {
      waitUntil(lane, head.dueAt());
    }
  }

  /**
   * The head stays in the queue and its lane is held, and recorded as such: it is forgotten. If
   * somebody changed it by hand meanwhile, it need not be so: then the table is asked.
   */
  void parked(long key) {
    Lane lane = landed(key);
    if (lane.stale()) {
      unread(lane, lane.rereadFrom);
    } else {
      remove(lane);
    }
  }

  /** Whether this very delivery is under way. */
  boolean sending(Delivery delivery) {
    Lane lane = lanes.get(laneOf(delivery));
    return lane != null
        && lane.state == Lane.State.SENDING
        && lane.line.getFirst().id() == delivery.id();
  }

  /** Makes the lanes ready whose wait is over. */
  void wake(long now) {
    for (Lane lane = waiting.due(now); lane != null; lane = waiting.due(now)) {
      ready(lane);
      lines.consider(lane);
    }
  }

  /** When {@link #wake} has something to do next. */
  OptionalLong nextWake() {
    return waiting.nextWake();
  }

  /**
   * Gives the waiting heads of an endpoint other times to wait until.
   *
   * @param times the same delivery, due when it is now
   */
  void reschedule(long endpointPk, UnaryOperator<Delivery> times) {
    waiting.reschedule(turns.endpoint(endpointPk), times);
  }

  /**
   * Forgets the deliveries it holds for an endpoint and passes them over, so that they are read
   * again: what was to be sent no longer is. What is being sent stays.
   */
  void reread(long endpointPk) {
    Endpoint endpoint = turns.endpoint(endpointPk);
    for (Lane lane : List.copyOf(lanes.values())) {
      if (lane.line.stream().anyMatch(delivery -> delivery.subscriptionPk() == endpointPk)) {
        lines.cutToHead(lane);
      }
      if (lane.endpoint != endpoint || lane.state == Lane.State.SENDING || lane.line.isEmpty()) {
        continue;
      }
      Delivery head = lane.line.getFirst();
      spills.passOver(endpoint, Place.of(head));
      waiting.remove(lane);
      if (head.ordered()) {
        // Others of the lane, behind the head, may be for other endpoints: the lane is read again
        // as well.
        unread(lane, head.sequence());
      } else {
        remove(lane);
      }
    }
    turns.clearReady(endpoint);
  }

  int inFlight() {
    return turns.inFlight();
  }

  int laneCount() {
    return lanes.size();
  }

  int waitingCount() {
    return waiting.count();
  }

  int queuedCount() {
    return lines.queued();
  }

  private Lane landed(long key) {
    Lane lane = lanes.get(key);
    if (lane == null || lane.state != Lane.State.SENDING) {
      throw new IllegalStateException("lane " + key + " is not sending");
    }
    turns.landed(lane.endpoint);
    return lane;
  }

  /** A lane that had nothing now has a head. */
  private void arrive(Lane lane, long now) {
    moveTo(lane, turns.endpoint(lane.line.getFirst().subscriptionPk()));
    long dueAt = lane.line.getFirst().dueAt();
    if (dueAt - now > 0) {
      waitUntil(lane, dueAt);
    } else {
      ready(lane);
    }
  }

  private void ready(Lane lane) {
    lane.state = Lane.State.READY;
    if (lane.endpoint.held()) {
      lines.cutToHead(lane);
    }
    blockers.judge(lane);
    turns.ready(lane);
  }

  private void waitUntil(Lane lane, long at) {
    lines.cutToHead(lane);
    waiting.add(lane, at);
    blockers.judge(lane);
  }

  private void moveTo(Lane lane, Endpoint endpoint) {
    if (lane.endpoint != endpoint) {
      lane.endpoint.lanes--;
      endpoint.lanes++;
      lane.endpoint = endpoint;
    }
  }

  private void remove(Lane lane) {
    lanes.remove(lane.key);
    blockers.forget(lane);
    lines.forget(lane);
    lane.endpoint.lanes--;
  }
}
