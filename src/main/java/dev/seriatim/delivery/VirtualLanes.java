package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that deliver, {@link KeyLanes}, without a database, a network and a clock: the table
 * that they read is a map, and the time is what the caller says it is, in any unit. For one
 * endpoint, whose cap is that of the partition.
 *
 * <p>Not thread-safe. Not for delivering: nothing is stored.
 */
public final class VirtualLanes {

  /**
   * What is to be sent now.
   *
   * @param attempt 1, 2, …
   */
  public record Start(long lane, long sequence, int attempt) {}

  private static final long ENDPOINT = 1;

  /** The rooms that the service has by default, seriatim.drain.*. */
  private static final int LINE_PER_LANE = 32;

  private static final int LINES = 4000;
  private static final int LANES_PER_ENDPOINT = 2000;

  private final KeyLanes lanes;

  /** Lane, sequence, delivery: what is not settled. */
  private final Map<Long, NavigableMap<Long, Delivery>> table = new HashMap<>();

  private long published;

  /**
   * @param atOnce lanes that may send at once, at least 1
   */
  public VirtualLanes(int atOnce) {
    this.lanes =
        new KeyLanes(new KeyLanes.Limits(atOnce, LINE_PER_LANE, LINES, LANES_PER_ENDPOINT));
    lanes.cap(ENDPOINT, atOnce);
  }

  /**
   * Puts a delivery into the queue.
   *
   * @param lane from 1
   * @param sequence the next of its lane: 1, 2, 3, …
   */
  public void publish(long lane, long sequence, long now) {
    published++;
    Delivery delivery =
        new Delivery(
            published, published, lane, sequence, published, ENDPOINT, 0, now, null, null, null,
            null);
    rows(lane).put(sequence, delivery);
    lanes.offer(delivery, now);
    readTable(now);
  }

  /** The next to send, or null when none can start. Its lane sends until a verdict comes. */
  public @Nullable Start next(long now) {
    lanes.wake(now);
    readTable(now);
    Delivery delivery = lanes.next();
    return delivery == null
        ? null
        : new Start(delivery.laneId(), delivery.sequence(), delivery.attempts() + 1);
  }

  /** What the lane sends is delivered. */
  public void settled(long lane, long now) {
    rows(lane).pollFirstEntry();
    lanes.settled(lane);
    readTable(now);
  }

  /** What the lane sends has failed and is to be tried again at a time. */
  public void retry(long lane, long now, long dueAt) {
    Delivery head = rows(lane).firstEntry().getValue();
    Delivery retried = head.retried(dueAt, Objects.requireNonNullElse(head.headSince(), now), now);
    rows(lane).put(retried.sequence(), retried);
    lanes.retry(lane, retried);
  }

  /** When a lane that waits is due; empty when none waits. */
  public OptionalLong nextWake() {
    return lanes.nextWake();
  }

  private NavigableMap<Long, Delivery> rows(long lane) {
    return table.computeIfAbsent(lane, _ -> new TreeMap<>());
  }

  /** Answers what the lanes want to know of the table, until they want nothing more. */
  private void readTable(long now) {
    List<KeyLanes.LaneRead> wanted = lanes.wanted(LANES_PER_ENDPOINT);
    while (!wanted.isEmpty()) {
      int atMost = lanes.rowsPerLane(wanted.size());
      for (KeyLanes.LaneRead read : wanted) {
        NavigableMap<Long, Delivery> left = rows(read.lane()).tailMap(read.from(), true);
        List<Delivery> rows = left.values().stream().limit(atMost).toList();
        long through = rows.isEmpty() ? read.from() - 1 : rows.getLast().sequence();
        lanes.fetched(read, rows, rows.size() == left.size(), through, now);
      }
      wanted = lanes.wanted(LANES_PER_ENDPOINT);
    }
  }
}
