package dev.seriatim.delivery;

import dev.seriatim.delivery.KeyLanes.LaneRead;
import dev.seriatim.queue.Delivery;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * The lines of the lanes: which are to be filled from the table, and how much room there is for
 * them. A head takes no room: a lane always keeps it. No thread-safety: the drainer's.
 */
final class Lines {

  /** Lines that run low are filled up once this part of the room for lines is free: 1/8. */
  private static final int ROOM_SHARE = 8;

  private final KeyLanes.Limits limits;

  /** Lanes with an empty line, which can do nothing but be read. */
  private final LinkedHashSet<Lane> unread = new LinkedHashSet<>();

  /** Lanes whose line runs low. */
  private final LinkedHashSet<Lane> hungry = new LinkedHashSet<>();

  /** Deliveries in lines, heads not counted. */
  private int queued;

  Lines(KeyLanes.Limits limits) {
    this.limits = limits;
  }

  /** Deliveries behind the heads. */
  int queued() {
    return queued;
  }

  /** Lanes to be read, the most urgent first. */
  List<LaneRead> wanted(int atMost) {
    return Stream.concat(unread.stream(), hungry.stream().limit(helpings()))
        .limit(atMost)
        .map(lane -> new LaneRead(lane.key, lane.next))
        .toList();
  }

  /**
   * How many lines that run low there is room to fill up: none while it would be by a row or two
   * each, which costs a read as much as more would.
   */
  private int helpings() {
    int room = limits.lines() - queued;
    return room * ROOM_SHARE < limits.lines() ? 0 : room / Math.max(1, low());
  }

  /** How many rows per lane a read of this many lanes should bring at most, at least 1. */
  int rowsPerLane(int laneCount) {
    int room = Math.max(0, limits.lines() - queued) / Math.max(1, laneCount);
    return Math.clamp(room, 1, limits.linePerLane());
  }

  /** A line this long or shorter runs low. */
  private int low() {
    return limits.linePerLane() / 4;
  }

  boolean hasRoom(Lane lane) {
    return !lane.keepsHeadOnly()
        && lane.line.size() < limits.linePerLane()
        && queued < limits.lines();
  }

  /** Adds what follows the line. */
  void append(Lane lane, Delivery delivery) {
    push(lane, delivery);
    lane.next = delivery.sequence() + 1;
  }

  /** The same, of a read that says itself how far it got. */
  void push(Lane lane, Delivery delivery) {
    if (!lane.line.isEmpty()) {
      queued++;
    }
    lane.line.addLast(delivery);
  }

  /** Takes the head out; the next in line is counted as a head from now on. */
  Delivery removeHead(Lane lane) {
    Delivery head = lane.line.removeFirst();
    queued -= lane.line.isEmpty() ? 0 : 1;
    return head;
  }

  /** Keeps the head only; nothing of the lane is read meanwhile. */
  void cutToHead(Lane lane) {
    queued -= lane.cutToHead();
    fed(lane);
  }

  /** Keeps nothing; the lane is to be read from a sequence on. */
  void unread(Lane lane, long from) {
    queued -= lane.unread(from);
    consider(lane);
  }

  /** The lane goes out of memory. */
  void forget(Lane lane) {
    queued -= Math.max(0, lane.line.size() - 1);
    fed(lane);
  }

  /** Has the lane read if it needs to be. */
  void consider(Lane lane) {
    if (lane.more && lane.line.isEmpty()) {
      hungry.remove(lane);
      unread.add(lane);
    } else if (lane.more && lane.line.size() <= low() && !lane.keepsHeadOnly()) {
      hungry.add(lane);
    }
  }

  /** The lane need not be read. */
  void fed(Lane lane) {
    unread.remove(lane);
    hungry.remove(lane);
  }
}
