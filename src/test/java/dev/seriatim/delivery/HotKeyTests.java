package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.partition.Partitioner;
import dev.seriatim.queue.Delivery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The workload that Seriatim was made for, on virtual time: 400 events of 40 keys, half of them of
 * one hot key, 8 requests at once, 1 to 4 ms each. When is the last event of the other 39 keys
 * delivered, as a share of the time that everything takes?
 */
class HotKeyTests {

  private static final int EVENTS = 400;
  private static final int KEYS = 40;
  private static final int AT_ONCE = 8;
  private static final int HOT = 1;
  private static final long ENDPOINT = 1;

  private record Event(int key, long sequence, long takesMicros) {}

  private record Completion(long at, Event event) {}

  /** What both ways have in common: some time passes, then an event is delivered. */
  private static final class Progress {
    private final PriorityQueue<Completion> underWay =
        new PriorityQueue<>(
            Comparator.comparingLong(Completion::at).thenComparing(done -> done.event().key()));
    private final Map<Integer, Long> last = new HashMap<>();
    private long now;
    private long lastCold;

    void start(Event event) {
      underWay.add(new Completion(now + event.takesMicros(), event));
    }

    Event next() {
      Completion done = underWay.remove();
      Event event = done.event();
      now = done.at();
      assertThat(event.sequence()).isEqualTo(last.getOrDefault(event.key(), 0L) + 1);
      last.put(event.key(), event.sequence());
      if (event.key() != HOT) {
        lastCold = now;
      }
      return event;
    }

    boolean busy() {
      return !underWay.isEmpty();
    }

    double share(List<Event> events) {
      Map<Integer, Long> sent = new HashMap<>();
      events.forEach(event -> sent.put(event.key(), event.sequence()));
      assertThat(last).isEqualTo(sent);
      return (double) lastCold / now;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void hotKeyDelaysItselfAlone(long seed) {
    List<Event> events = workload(seed);

    double partitions = inLineByPartition(events);
    double lanes = inLanes(events);

    System.out.printf(
        "Seed %d: the last cold key is done after %.2f of the time in line by partition, after %.2f in lanes%n",
        seed, partitions, lanes);
    assertThat(partitions).isGreaterThan(0.85);
    assertThat(lanes).isLessThan(0.25);
  }

  private static List<Event> workload(long seed) {
    Random random = new Random(seed);
    List<Integer> keys = new ArrayList<>();
    for (int n = 0; n < EVENTS; n++) {
      keys.add(n < EVENTS / 2 ? HOT : 2 + n % (KEYS - 1));
    }
    Collections.shuffle(keys, random);
    Map<Integer, Long> sequences = new HashMap<>();
    return keys.stream()
        .map(
            key -> new Event(key, sequences.merge(key, 1L, Long::sum), 1000 + random.nextInt(3001)))
        .toList();
  }

  /** The naive way: a key's partition is a queue, and each of the eight sends one at a time. */
  private static double inLineByPartition(List<Event> events) {
    Partitioner partitioner = new Partitioner(AT_ONCE);
    Map<Integer, Queue<Event>> queues = new HashMap<>();
    for (Event event : events) {
      queues.computeIfAbsent(partition(partitioner, event), _ -> new ArrayDeque<>()).add(event);
    }
    Progress progress = new Progress();
    queues.values().forEach(queue -> progress.start(queue.element()));
    while (progress.busy()) {
      Queue<Event> queue = queues.get(partition(partitioner, progress.next()));
      queue.remove();
      if (!queue.isEmpty()) {
        progress.start(queue.element());
      }
    }
    return progress.share(events);
  }

  private static int partition(Partitioner partitioner, Event event) {
    return partitioner.partition("order-" + event.key());
  }

  /** The same eight requests at once, given to whichever lane can go on. */
  private static double inLanes(List<Event> events) {
    KeyLanes lanes = new KeyLanes(new KeyLanes.Limits(AT_ONCE, 32, 4000, 2000));
    lanes.cap(ENDPOINT, AT_ONCE);
    Map<Long, List<Delivery>> table = new HashMap<>();
    Map<Long, Event> byId = new HashMap<>();
    for (Event event : events) {
      Delivery row = row(byId.size() + 1, event);
      byId.put(row.id(), event);
      table.computeIfAbsent(row.laneId(), _ -> new ArrayList<>()).add(row);
      lanes.offer(row, 0);
    }
    Progress progress = new Progress();
    do {
      for (KeyLanes.LaneRead read : lanes.wanted(KEYS)) {
        List<Delivery> lane = table.get(read.lane());
        List<Delivery> rows =
            lane.subList(Math.max(0, Math.toIntExact(read.from()) - 1), lane.size());
        lanes.fetched(read, rows, true, lane.size(), progress.now);
      }
      for (Delivery next = lanes.next(); next != null; next = lanes.next()) {
        progress.start(byId.get(next.id()));
      }
      assertThat(lanes.inFlight()).isLessThanOrEqualTo(AT_ONCE);
      lanes.settled(progress.next().key());
    } while (progress.busy() || lanes.canStart());
    return progress.share(events);
  }

  private static Delivery row(long id, Event event) {
    return new Delivery(
        1, id, event.key(), event.sequence(), id, ENDPOINT, 0, 0, null, null, null, null);
  }
}
