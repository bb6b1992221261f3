package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one partition: deliveries read from the queue go in, "send this one" comes out, at
 * most one of a lane at a time and always in sequence. A pure state machine: no I/O, no clock and
 * no threads of its own.
 *
 * <p><b>A lane</b> is in memory only while it has something to do. Its line is a contiguous piece
 * of the lane as it stands in the table, from the head on. Rows of the lane beyond the line are not
 * kept but remembered as one bit, {@code more}: the line is filled up from the table, by sequence,
 * when it runs low ({@link #wanted}). That one rule serves four cases: a lane longer than its
 * buffer, a row that is offered out of order, a lane whose first offered row need not be its head,
 * and a lane cut down to its head because it waits.
 *
 * <pre>
 *               offer of 1                     next()
 *   (absent) ------------------> READY ---------------------> SENDING
 *      |  ^                      ^ ^ ^                        | |  |
 *      |  | settled, line empty  | | |  settled, line left    | |  |
 *      |  +----------------------|-|-+------------------------+ |  |
 *      | offer of n              | |     notSent                |  |
 *      v                fetched  | +----------------------------+  |
 *   UNREAD ----------------------+                                 |
 *      ^                         | wake()       retry at T         |
 *      | settled, more           +------------ WAITING <-----------+
 *      +------------------------------------------- (from SENDING)
 * </pre>
 *
 * <p><b>An endpoint</b> is what the head of a lane is sent to. It has a cap of lanes in flight; a
 * cap of zero holds it. Endpoints with something to start take turns, so that one with ten thousand
 * ready lanes gets no more turns than one with a single lane. An endpoint that has more ready lanes
 * than {@link Limits#lanesPerEndpoint} is spilled: rows of further lanes are passed over and the
 * lowest place passed over is remembered ({@link #behind}), to be read again when there is room.
 * Waiting lanes do not count: each keeps its head only.
 *
 * <p>Deliveries without order are lanes of one.
 *
 * <p>Concurrency: none. Owned by one thread, the drainer's. After a crash or the loss of the lease
 * it is thrown away and filled anew from the table.
 */
final class KeyLanes {

  /**
   * @param inFlight lanes of the partition that may send at once, at least 1; 1 gives strict order
   *     over the partition
   * @param linePerLane deliveries kept per lane, at least 1
   * @param lines deliveries kept behind the heads over all lanes; a lane always keeps its head
   * @param lanesPerEndpoint lanes of one endpoint kept while they are ready or sending, at least 1
   */
  record Limits(int inFlight, int linePerLane, int lines, int lanesPerEndpoint) {}

  /** A place in the partition. */
  record Place(long tx, long id) implements Comparable<Place> {
    static Place of(Delivery delivery) {
      return new Place(delivery.tx(), delivery.id());
    }

    @Override
    public int compareTo(Place other) {
      int byTx = Long.compareUnsigned(tx, other.tx);
      return byTx != 0 ? byTx : Long.compare(id, other.id);
    }
  }

  /** A piece of a lane to be read from the table: the rows from {@code from} on, lowest first. */
  record LaneRead(long lane, long from) {}

  /** Rows of an endpoint that were passed over, from {@code from} on. */
  record EndpointRead(long endpoint, Place from) {}

  /**
   * Who moves it on: READY by next(), SENDING by a verdict, WAITING by the time, UNREAD by a read
   * of the table.
   */
  private enum State {
    UNREAD,
    READY,
    SENDING,
    WAITING
  }

  private static final class Lane {
    final long key;
    final ArrayDeque<Delivery> line = new ArrayDeque<>(2);
    Endpoint endpoint;
    State state = State.UNREAD;

    /** Sequences below this are in the line or settled. */
    long next;

    /** Rows of the lane at or beyond {@code next} are, or may be, in the table. */
    boolean more;

    long wakeAt;

    Lane(long key, Endpoint endpoint) {
      this.key = key;
      this.endpoint = endpoint;
    }
  }

  private static final class Endpoint {
    final long pk;
    final ArrayDeque<Lane> ready = new ArrayDeque<>(2);
    int cap;
    int inFlight;

    /** Lanes that are not waiting. */
    int lanes;

    /** What it adds to {@code startable}. */
    int startable;

    @Nullable Place behind;

    Endpoint(long pk, int cap) {
      this.pk = pk;
      this.cap = cap;
    }
  }

  private final Limits limits;
  private final Map<Long, Lane> lanes = new HashMap<>();
  private final Map<Long, Endpoint> endpoints = new HashMap<>();

  /** Endpoints that could start a lane now, in the order of their turns. */
  private final LinkedHashSet<Endpoint> turns = new LinkedHashSet<>();

  /** Endpoints of which rows were passed over. */
  private final LinkedHashSet<Endpoint> spilled = new LinkedHashSet<>();

  /** Lanes whose line wants filling; those with an empty line can do nothing else. */
  private final LinkedHashSet<Lane> hungry = new LinkedHashSet<>();

  private final TreeSet<Lane> waiting =
      new TreeSet<>(
          Comparator.<Lane>comparingLong(lane -> lane.wakeAt).thenComparingLong(lane -> lane.key));

  private int inFlight;
  private int startable;

  /** Deliveries in lines, heads not counted. */
  private int queued;

  KeyLanes(Limits limits) {
    this.limits = limits;
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
    Endpoint endpoint = endpoints.computeIfAbsent(endpointPk, pk -> new Endpoint(pk, cap));
    endpoint.cap = cap;
    if (cap == 0) {
      endpoint.ready.forEach(this::cutToHead);
    }
    refresh(endpoint);
  }

  /** The endpoints known here. */
  List<Long> endpoints() {
    return List.copyOf(endpoints.keySet());
  }

  /** Whether it is worth reading on: fewer lanes could start than may be in flight. */
  boolean hasRoom() {
    return startable < limits.inFlight;
  }

  /**
   * Takes a row of the partition, in any order, as often as it is read. A row that is already known
   * is ignored.
   *
   * @param dueAt when its next attempt is due, in the nanoseconds of {@link #wake}; only heads are
   *     ever not due
   */
  void offer(Delivery delivery, long dueAt, long now) {
    Lane lane = lanes.get(laneOf(delivery));
    if (lane == null) {
      offerNewLane(delivery, now);
    } else if (delivery.sequence() >= lane.next) {
      if (delivery.sequence() == lane.next && !lane.more && hasLineRoom(lane)) {
        append(lane, delivery);
      } else {
        lane.more = true;
        considerHungry(lane);
      }
    }
  }

  private void offerNewLane(Delivery delivery, long now) {
    Endpoint endpoint = endpoint(delivery.subscriptionPk());
    if (endpoint.lanes >= limits.lanesPerEndpoint) {
      passOver(endpoint, Place.of(delivery));
      return;
    }
    Lane lane = new Lane(laneOf(delivery), endpoint);
    lanes.put(lane.key, lane);
    endpoint.lanes++;
    // The first of a lane, and what has no lane, is its own head; anything else only a read by
    // sequence can tell.
    if (delivery.sequence() <= 1) {
      append(lane, delivery);
      arrive(lane, now);
    } else {
      lane.more = true;
      considerHungry(lane);
    }
  }

  private void passOver(Endpoint endpoint, Place place) {
    if (endpoint.behind == null || place.compareTo(endpoint.behind) < 0) {
      endpoint.behind = place;
      spilled.add(endpoint);
    }
  }

  /**
   * Lanes whose line should be filled from the table, the most urgent first; stays wanted until
   * {@link #fetched}.
   */
  List<LaneRead> wanted(int atMost) {
    List<LaneRead> empty = new ArrayList<>();
    List<LaneRead> low = new ArrayList<>();
    for (Lane lane : hungry) {
      List<LaneRead> into = lane.line.isEmpty() ? empty : low;
      if (into.size() < atMost) {
        into.add(new LaneRead(lane.key, lane.next));
      }
    }
    for (LaneRead read : low) {
      if (empty.size() == atMost) {
        break;
      }
      empty.add(read);
    }
    return empty;
  }

  /** How many rows per lane a read of this many lanes should bring at most, at least 1. */
  int rowsPerLane(int laneCount) {
    int room = Math.max(0, limits.lines - queued) / Math.max(1, laneCount);
    return Math.clamp(room, 1, limits.linePerLane);
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
    if (lane == null || lane.state == State.WAITING || lane.next != read.from()) {
      return;
    }
    hungry.remove(lane);
    lane.more = !complete;
    lane.next = Math.max(lane.next, through + 1);
    boolean wasEmpty = lane.line.isEmpty();
    for (Delivery row : rows) {
      if (!lane.line.isEmpty() && !hasLineRoom(lane)) {
        lane.more = true;
        lane.next = row.sequence();
        break;
      }
      push(lane, row);
    }
    if (wasEmpty && !lane.line.isEmpty()) {
      arrive(lane, now);
    } else if (lane.line.isEmpty() && !lane.more) {
      remove(lane);
      return;
    }
    considerHungry(lane);
  }

  /**
   * Endpoints that were passed over and have room again. Reading them starts with {@link
   * #readingBehind}.
   */
  List<EndpointRead> behind() {
    List<EndpointRead> reads = new ArrayList<>();
    for (Endpoint endpoint : spilled) {
      if (endpoint.behind != null && endpoint.lanes <= limits.lanesPerEndpoint / 2) {
        reads.add(new EndpointRead(endpoint.pk, endpoint.behind));
      }
    }
    return reads;
  }

  /**
   * The rows of an endpoint from the place that was passed over are about to be offered.
   *
   * @param onwards the place up to which they were read if there may be more, null if that was all
   */
  void readingBehind(long endpointPk, @Nullable Place onwards) {
    Endpoint endpoint = endpoint(endpointPk);
    endpoint.behind = onwards;
    if (onwards == null) {
      spilled.remove(endpoint);
    }
  }

  /**
   * The next delivery to send, or null when none can start; its lane is sending until a verdict
   * comes back.
   */
  @Nullable Delivery next() {
    if (inFlight >= limits.inFlight || turns.isEmpty()) {
      return null;
    }
    Endpoint endpoint = turns.getFirst();
    turns.remove(endpoint);
    Lane lane = endpoint.ready.removeFirst();
    lane.state = State.SENDING;
    inFlight++;
    endpoint.inFlight++;
    refresh(endpoint);
    return lane.line.getFirst();
  }

  /**
   * The head is out of the queue: delivered, ejected or cancelled, and recorded. The lane goes on.
   */
  void settled(long key) {
    Lane lane = landed(key);
    lane.line.removeFirst();
    if (!lane.line.isEmpty()) {
      queued--;
      moveTo(lane, endpoint(lane.line.getFirst().subscriptionPk()));
      ready(lane, false);
      considerHungry(lane);
    } else if (lane.more) {
      lane.state = State.UNREAD;
      considerHungry(lane);
    } else {
      remove(lane);
    }
  }

  /**
   * The head failed and is to be tried again when it is due. Only this lane waits, and keeps its
   * head only.
   */
  void retry(long key, Delivery head) {
    Lane lane = landed(key);
    lane.line.removeFirst();
    lane.line.addFirst(head);
    waitUntil(lane, head.dueAt());
  }

  /**
   * The head was not sent after all: no verdict, no attempt. It is the first of its endpoint again.
   */
  void notSent(long key) {
    ready(landed(key), true);
  }

  /** Makes the lanes ready whose wait is over. */
  void wake(long now) {
    while (!waiting.isEmpty() && waiting.first().wakeAt - now <= 0) {
      Lane lane = waiting.pollFirst();
      lane.endpoint.lanes++;
      ready(lane, false);
      considerHungry(lane);
    }
  }

  /** When {@link #wake} has something to do next. */
  OptionalLong nextWake() {
    return waiting.isEmpty() ? OptionalLong.empty() : OptionalLong.of(waiting.first().wakeAt);
  }

  /**
   * Forgets the deliveries it holds for an endpoint and passes them over, so that they are read
   * again: what was to be sent no longer is. What is being sent stays.
   */
  void reread(long endpointPk) {
    Endpoint endpoint = endpoint(endpointPk);
    for (Lane lane : List.copyOf(lanes.values())) {
      if (lane.line.stream().anyMatch(delivery -> delivery.subscriptionPk() == endpointPk)) {
        cutToHead(lane);
      }
      if (lane.endpoint != endpoint || lane.state == State.SENDING || lane.line.isEmpty()) {
        continue;
      }
      passOver(endpoint, Place.of(lane.line.getFirst()));
      if (waiting.remove(lane)) {
        endpoint.lanes++;
      }
      remove(lane);
    }
    endpoint.ready.clear();
    refresh(endpoint);
  }

  int inFlight() {
    return inFlight;
  }

  int laneCount() {
    return lanes.size();
  }

  int waitingCount() {
    return waiting.size();
  }

  int queuedCount() {
    return queued;
  }

  private Lane landed(long key) {
    Lane lane = lanes.get(key);
    if (lane == null || lane.state != State.SENDING) {
      throw new IllegalStateException("lane " + key + " is not sending");
    }
    inFlight--;
    lane.endpoint.inFlight--;
    refresh(lane.endpoint);
    return lane;
  }

  private Endpoint endpoint(long pk) {
    Endpoint endpoint = endpoints.get(pk);
    if (endpoint == null) {
      throw new IllegalStateException("endpoint " + pk + " has no cap yet");
    }
    return endpoint;
  }

  /** A lane that had nothing now has a head. */
  private void arrive(Lane lane, long now) {
    moveTo(lane, endpoint(lane.line.getFirst().subscriptionPk()));
    long dueAt = lane.line.getFirst().dueAt();
    if (dueAt - now > 0) {
      waitUntil(lane, dueAt);
    } else {
      ready(lane, false);
    }
  }

  private void ready(Lane lane, boolean first) {
    lane.state = State.READY;
    if (first) {
      lane.endpoint.ready.addFirst(lane);
    } else {
      lane.endpoint.ready.addLast(lane);
    }
    if (lane.endpoint.cap == 0) {
      cutToHead(lane);
    }
    refresh(lane.endpoint);
  }

  private void waitUntil(Lane lane, long at) {
    cutToHead(lane);
    lane.state = State.WAITING;
    lane.wakeAt = at;
    lane.endpoint.lanes--;
    waiting.add(lane);
    hungry.remove(lane);
  }

  private void cutToHead(Lane lane) {
    if (lane.line.isEmpty()) {
      return;
    }
    Delivery head = lane.line.getFirst();
    if (lane.line.size() > 1) {
      queued -= lane.line.size() - 1;
      lane.next = head.sequence() + 1;
      lane.more = true;
    }
    lane.line.clear();
    lane.line.add(head.withoutContent());
    hungry.remove(lane);
  }

  private void moveTo(Lane lane, Endpoint endpoint) {
    if (lane.endpoint != endpoint) {
      lane.endpoint.lanes--;
      endpoint.lanes++;
      lane.endpoint = endpoint;
    }
  }

  private boolean hasLineRoom(Lane lane) {
    boolean headOnly = lane.state == State.WAITING || lane.endpoint.cap == 0;
    return !headOnly && lane.line.size() < limits.linePerLane && queued < limits.lines;
  }

  private void append(Lane lane, Delivery delivery) {
    push(lane, delivery);
    lane.next = delivery.sequence() + 1;
  }

  private void push(Lane lane, Delivery delivery) {
    if (!lane.line.isEmpty()) {
      queued++;
    }
    lane.line.addLast(delivery);
  }

  private void considerHungry(Lane lane) {
    boolean empty = lane.line.isEmpty();
    boolean low = lane.line.size() <= limits.linePerLane / 4;
    if (lane.more && (empty || (low && hasLineRoom(lane)))) {
      hungry.add(lane);
    }
  }

  private void remove(Lane lane) {
    lanes.remove(lane.key);
    hungry.remove(lane);
    lane.endpoint.lanes--;
  }

  /**
   * Keeps the turns and the count of what could start in step with an endpoint. Called after each
   * of its changes.
   */
  private void refresh(Endpoint endpoint) {
    int could = Math.clamp(endpoint.cap - endpoint.inFlight, 0, endpoint.ready.size());
    startable += could - endpoint.startable;
    endpoint.startable = could;
    if (could > 0) {
      turns.add(endpoint);
    } else {
      turns.remove(endpoint);
    }
  }
}
