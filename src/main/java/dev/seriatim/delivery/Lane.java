package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.Place;
import java.util.ArrayDeque;

/** One lane as {@link KeyLanes} knows it. No thread-safety: the drainer's. */
final class Lane {

  /**
   * Who moves it on: READY by {@link KeyLanes#next}, SENDING by a verdict, WAITING by the time,
   * UNREAD by a read of the table.
   */
  enum State {
    UNREAD,
    READY,
    SENDING,
    WAITING
  }

  private static final long FRESH = Long.MAX_VALUE;

  final long key;

  /** A contiguous piece of the lane, from the head on. */
  final ArrayDeque<Delivery> line = new ArrayDeque<>(2);

  /**
   * What the head is sent to; of a lane that is not read yet, what the row was for that told of it.
   */
  Endpoint endpoint;

  State state = State.UNREAD;

  /** Sequences below this are in the line or settled. */
  long next;

  /** Rows of the lane at or beyond {@code next} are, or may be, in the table. */
  boolean more;

  /** Deliveries settled since it came into memory. */
  int turns;

  /** While WAITING: when it is over. */
  long wakeAt;

  /**
   * While SENDING: from which sequence on the lane is to be read again once the head has landed,
   * whatever stands in the line; {@link #FRESH} when it need not be.
   */
  long rereadFrom = FRESH;

  Lane(long key, Endpoint endpoint) {
    this.key = key;
    this.endpoint = endpoint;
  }

  /** Keeps the head only, and of that not the content. @return how many were let go */
  int cutToHead() {
    if (line.isEmpty()) {
      return 0;
    }
    Delivery head = line.getFirst();
    int cut = line.size() - 1;
    if (cut > 0) {
      next = head.sequence() + 1;
      more = true;
    }
    line.clear();
    line.add(head.withoutContent());
    return cut;
  }

  /** Keeps nothing; the lane is to be read from a sequence on. @return how many were let go */
  int unread(long from) {
    int cut = Math.max(0, line.size() - 1);
    line.clear();
    next = from;
    more = true;
    rereadFrom = FRESH;
    state = State.UNREAD;
    return cut;
  }

  /** Keeps the same delivery with another attempt or time. */
  void replaceHead(Delivery head) {
    line.removeFirst();
    line.addFirst(head);
  }

  /** Whether what is behind the head is not kept: nothing of it is going to be sent soon. */
  boolean keepsHeadOnly() {
    return state == State.WAITING || endpoint.held();
  }

  /** The lowest sequence that is, or may be, in the table as far as is known. */
  long first() {
    return line.isEmpty() ? next : line.getFirst().sequence();
  }

  boolean stale() {
    return rereadFrom != FRESH;
  }

  /** Whether this very row is in the line: one that left and came back has another place. */
  boolean has(Delivery delivery) {
    Place place = Place.of(delivery);
    return line.stream().anyMatch(row -> Place.of(row).equals(place));
  }

  /** Whether its head has failed and lets nothing else of the partition start. */
  boolean blocks() {
    return !line.isEmpty() && line.getFirst().attempts() > 0 && endpoint.blocks && endpoint.cap > 0;
  }
}
