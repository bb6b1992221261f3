package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.Place;
import dev.seriatim.queue.Replay;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One random walk of {@link KeyLanes} against a model of the table. Everything follows from the
 * seed. After every step the promises are checked; at the end of the walk all that was ever offered
 * must come out, in order, without being offered again.
 */
final class LaneWalk {

  /** A promise was broken. */
  static final class Broken extends AssertionError {
    Broken(String what) {
      super(what);
    }
  }

  private static final int ENDPOINTS = 5;
  private static final int LANES = 12;
  private static final int ROWS_TO_KNOW = 5;

  private final Random random;
  private final KeyLanes.Limits limits;
  private final List<String> trace = new ArrayList<>();

  /** Visible, unsettled rows by lane and sequence; lanes without order hold one row each. */
  private final Map<Long, TreeMap<Long, Delivery>> table = new HashMap<>();

  /**
   * Rows of transactions that have not committed. The lanes of one are locked for others, as the
   * row lock does.
   */
  private final List<List<Delivery>> open = new ArrayList<>();

  private final Map<Long, Long> lastSequence = new HashMap<>();
  private final Map<Long, Integer> caps = new HashMap<>();

  /** What the gates of endpoints let pass; those that are paused let none start. */
  private final Map<Long, Integer> gates = new HashMap<>();

  private final Set<Long> paused = new HashSet<>();
  private final Set<Long> deleted = new HashSet<>();
  private final Map<Long, Delivery> sending = new HashMap<>();

  /** Lanes that the table says are held. */
  private final Set<Long> held = new HashSet<>();

  /** Lanes held or resumed since, of which the lanes have not been told. */
  private final Set<Long> untold = new HashSet<>();

  /** Endpoints whose failing heads let nothing else start. */
  private final Set<Long> blocking = new HashSet<>();

  /** What was settled, and may come back. */
  private final List<Delivery> gone = new ArrayList<>();

  /** Numbers of rows offered under the present lease. */
  private final Set<Long> offered = new HashSet<>();

  private KeyLanes lanes;
  private long now = 1000;
  private long nextTx = 10;
  private long nextId = 1;

  LaneWalk(long seed) {
    this.random = new Random(seed);
    this.limits =
        new KeyLanes.Limits(
            1 + random.nextInt(6),
            1 + random.nextInt(5),
            1 + random.nextInt(12),
            1 + random.nextInt(6));
    this.lanes = new KeyLanes(limits);
    for (long endpoint = 1; endpoint <= ENDPOINTS; endpoint++) {
      caps.put(endpoint, 1 + random.nextInt(3));
    }
    tellCaps();
  }

  /** What happened, a line per step. */
  List<String> trace() {
    return trace;
  }

  /** Walks, then drains. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
      check();
    }
    drain();
  }

  private void step() {
    switch (random.nextInt(24)) {
      case 20 -> holdLane();
      case 21 -> tellOfLanes();
      case 22 -> replay();
      case 23 -> block();
      case 0, 1, 2 -> begin();
      case 3, 4, 5 -> commit();
      case 6, 7, 8 -> offerSome();
      case 9, 10 -> readLanes();
      case 11 -> readBehind();
      case 12, 13, 14 -> start();
      case 15, 16 -> land();
      case 17 -> pass();
      case 18 -> {
        if (random.nextBoolean()) {
          hold();
        } else {
          gate();
        }
      }
      default -> rarely();
    }
  }

  private void rarely() {
    switch (random.nextInt(6)) {
      case 0 -> loseLease();
      case 1 -> delete();
      case 2, 3 -> reschedule();
      default -> pass();
    }
  }

  private void begin() {
    long tx = nextTx++;
    Set<Long> locked =
        open.stream().flatMap(List::stream).map(Delivery::laneId).collect(Collectors.toSet());
    List<Delivery> rows = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      long lane = random.nextInt(LANES); // 0: without order
      if (lane != 0 && locked.contains(lane)) {
        continue;
      }
      // The last lanes are shared by endpoints, as those of the ordering scope TENANT are.
      long endpoint =
          lane == 0 || lane > LANES - 3 ? 1 + random.nextInt(ENDPOINTS) : 1 + lane % ENDPOINTS;
      long sequence = lane == 0 ? 0 : lastSequence.merge(lane, 1L, Long::sum);
      if (!deleted.contains(endpoint)) {
        rows.add(
            new Delivery(
                tx, nextId++, lane, sequence, 1, endpoint, 0, now, null, null, null, null));
      } else if (lane != 0) {
        lastSequence.merge(lane, -1L, Long::sum);
      }
    }
    open.add(rows);
    trace.add("begin " + tx + " " + names(rows));
  }

  private void commit() {
    if (open.isEmpty()) {
      return;
    }
    List<Delivery> rows = open.remove(random.nextInt(open.size()));
    rows.forEach(this::put);
    trace.add("commit " + names(rows));
  }

  private void put(Delivery row) {
    table.computeIfAbsent(KeyLanes.laneOf(row), lane -> new TreeMap<>()).put(row.sequence(), row);
  }

  private void offerSome() {
    List<Delivery> rows = visible();
    Collections.shuffle(rows, random);
    offer(rows.subList(0, random.nextInt(rows.size() + 1)));
  }

  private void offer(List<Delivery> rows) {
    trace.add("offer " + names(rows));
    for (Delivery row : rows) {
      offered.add(row.id());
      if (deleted.contains(row.subscriptionPk())) {
        cancel(row);
      } else {
        lanes.offer(row, now);
      }
    }
  }

  private void readLanes() {
    List<KeyLanes.LaneRead> wanted = lanes.wanted(1 + random.nextInt(4));
    int limit = lanes.rowsPerLane(wanted.size());
    trace.add("read lanes " + wanted + " limit " + limit);
    for (KeyLanes.LaneRead read : wanted) {
      if (held.contains(read.lane())) {
        lanes.held(read);
        cancelHeld(read.lane());
        continue;
      }
      List<Delivery> rows =
          table
              .getOrDefault(read.lane(), new TreeMap<>())
              .tailMap(read.from(), true)
              .values()
              .stream()
              .limit(limit)
              .toList();
      rows.forEach(row -> offered.add(row.id()));
      long through = rows.isEmpty() ? read.from() - 1 : rows.getLast().sequence();
      List<Delivery> live =
          rows.stream().filter(row -> !deleted.contains(row.subscriptionPk())).toList();
      rows.stream().filter(row -> deleted.contains(row.subscriptionPk())).forEach(this::cancel);
      lanes.fetched(read, live, rows.size() < limit, through, now);
    }
  }

  private void readBehind() {
    int limit = 1 + random.nextInt(5);
    for (KeyLanes.EndpointRead behind : lanes.behind()) {
      List<Delivery> rows =
          visible().stream()
              .filter(row -> Place.of(row).compareTo(behind.from()) >= 0)
              .sorted(Comparator.comparing(Place::of))
              .limit(limit)
              .toList();
      lanes.readingBehind(behind, rows.size() < limit ? null : Place.of(rows.getLast()).after());
      offer(rows);
    }
  }

  private void start() {
    Delivery next = lanes.next();
    if (next == null) {
      return;
    }
    trace.add("send " + name(next));
    long lane = KeyLanes.laneOf(next);
    TreeMap<Long, Delivery> line = table.get(lane);
    if (line == null || line.isEmpty()) {
      throw new Broken(name(next) + " is sent but not in the table");
    }
    Delivery head = head(line);
    if (held.contains(lane) && !untold.contains(lane)) {
      throw new Broken(name(next) + " is sent from a lane that is held");
    }
    for (Delivery blocker : blockers()) {
      if (!blocks(head) && !untold.contains(lane)) {
        throw new Broken(name(next) + " is sent while " + name(blocker) + " blocks");
      }
    }
    if (head.id() != next.id()) {
      throw new Broken(name(next) + " is sent before " + name(head));
    }
    if (head.attempts() != next.attempts() && !untold.contains(lane)) {
      throw new Broken(name(next) + " is sent with a stale number of attempts");
    }
    if (head.dueAt() > now) {
      throw new Broken(name(next) + " is sent before it is due");
    }
    if (caps.get(next.subscriptionPk()) == 0 || deleted.contains(next.subscriptionPk())) {
      throw new Broken(name(next) + " is sent to an endpoint that is held");
    }
    long toEndpoint =
        sending.values().stream()
            .filter(other -> other.subscriptionPk() == next.subscriptionPk())
            .count();
    if (paused.contains(next.subscriptionPk())
        || toEndpoint >= gates.getOrDefault(next.subscriptionPk(), Integer.MAX_VALUE)) {
      throw new Broken(name(next) + " is sent past the gate of its endpoint");
    }
    if (sending.put(lane, next) != null) {
      throw new Broken("lane " + lane + " has two in flight");
    }
  }

  /** What came back and was not offered since counts once it is. */
  private Delivery head(TreeMap<Long, Delivery> line) {
    return line.values().stream()
        .filter(row -> row.replay() == null || offered.contains(row.id()))
        .findFirst()
        .orElseThrow();
  }

  private boolean blocks(Delivery head) {
    return head.attempts() > 0
        && blocking.contains(head.subscriptionPk())
        && !deleted.contains(head.subscriptionPk())
        && caps.get(head.subscriptionPk()) > 0;
  }

  private List<Delivery> blockers() {
    return heads().stream()
        .filter(head -> !held.contains(head.laneId()) && !untold.contains(head.laneId()))
        .filter(this::blocks)
        .toList();
  }

  private List<Delivery> heads() {
    return table.values().stream()
        .filter(line -> line.values().stream().anyMatch(this::counts))
        .map(this::head)
        .toList();
  }

  private boolean counts(Delivery row) {
    return row.replay() == null || offered.contains(row.id());
  }

  private void offerBlocking(long endpoint) {
    for (Delivery row : visible()) {
      if (row.subscriptionPk() == endpoint && blocks(row) && !held.contains(row.laneId())) {
        trace.add("offer blocking " + name(row));
        offered.add(row.id());
        lanes.offerBlocking(row, now);
      }
    }
  }

  private void block() {
    long endpoint = 1 + random.nextInt(ENDPOINTS);
    boolean blocks = random.nextInt(3) == 0 && blocking.add(endpoint);
    if (!blocks) {
      blocking.remove(endpoint);
    }
    trace.add("endpoint " + endpoint + (blocks ? " blocks" : " does not block"));
    lanes.blocks(endpoint, blocks);
    offerBlocking(endpoint);
  }

  private void holdLane() {
    long lane = 1 + random.nextInt(LANES - 1);
    if (held.contains(lane)) {
      resume(lane);
    } else {
      trace.add("hold lane " + lane);
      held.add(lane);
      untold.add(lane);
    }
  }

  /** What has failed of it begins anew. */
  private void resume(long lane) {
    trace.add("resume lane " + lane);
    held.remove(lane);
    untold.add(lane);
    for (Delivery row : List.copyOf(table.getOrDefault(lane, new TreeMap<>()).values())) {
      if (row.attempts() > 0) {
        put(with(row, row.tx(), row.id(), row.replay()));
      }
    }
  }

  private void tellOfLanes() {
    for (long lane : List.copyOf(untold)) {
      tellOf(lane);
    }
  }

  private void tellOf(long lane) {
    trace.add("tell of lane " + lane);
    untold.remove(lane);
    if (!held.contains(lane)) {
      TreeMap<Long, Delivery> line = table.getOrDefault(lane, new TreeMap<>());
      int before = line.size() + 1;
      // A few, as the feeder does: what came back has a higher place than what stands behind it.
      while (!lanes.knows(lane) && !line.isEmpty() && line.size() < before) {
        before = line.size();
        offer(line.values().stream().limit(ROWS_TO_KNOW).toList());
      }
    }
    lanes.relearn(lane);
  }

  private void replay() {
    if (gone.isEmpty()) {
      return;
    }
    Delivery row = gone.remove(random.nextInt(gone.size()));
    if (deleted.contains(row.subscriptionPk())) {
      return;
    }
    Delivery back = with(row, nextTx++, nextId++, Replay.ORIGINAL);
    trace.add("replay " + name(back));
    put(back);
  }

  private Delivery with(Delivery row, long tx, long id, @Nullable Replay replay) {
    return new Delivery(
        tx,
        id,
        row.laneId(),
        row.sequence(),
        row.eventPk(),
        row.subscriptionPk(),
        0,
        now,
        null,
        null,
        replay,
        null);
  }

  private void land() {
    if (sending.isEmpty()) {
      return;
    }
    List<Long> keys = sending.keySet().stream().sorted().toList();
    long lane = keys.get(random.nextInt(keys.size()));
    Delivery delivery = sending.remove(lane);
    if (random.nextInt(3) > 0) {
      trace.add("settled " + name(delivery));
      remove(delivery);
      gone.add(delivery);
      lanes.settled(lane);
    } else if (delivery.ordered() && random.nextInt(4) == 0) {
      trace.add("parked " + name(delivery));
      put(delivery.retried(now, now, null));
      held.add(lane);
      untold.remove(lane);
      lanes.parked(lane);
      cancelHeld(lane);
    } else {
      boolean attempted = random.nextBoolean();
      int wait = random.nextInt(20);
      Delivery head =
          attempted ? delivery.retried(now + wait, now, null) : delivery.postponed(now + wait);
      trace.add((attempted ? "retry " : "not sent ") + name(head) + " at " + head.dueAt());
      if (attempted) {
        put(head); // that it was not sent is known in memory only
      }
      lanes.retry(lane, head);
      if (deleted.contains(head.subscriptionPk())) {
        lanes.reread(head.subscriptionPk());
      }
    }
  }

  private void pass() {
    now += random.nextInt(15);
    trace.add("now " + now);
    lanes.wake(now);
  }

  private void hold() {
    long endpoint = 1 + random.nextInt(ENDPOINTS);
    if (deleted.contains(endpoint)) {
      return;
    }
    caps.put(endpoint, random.nextBoolean() ? 0 : 1 + random.nextInt(3));
    trace.add("cap " + endpoint + " = " + caps.get(endpoint));
    lanes.cap(endpoint, caps.get(endpoint));
    offerBlocking(endpoint);
  }

  private void gate() {
    long endpoint = 1 + random.nextInt(ENDPOINTS);
    gates.put(endpoint, random.nextInt(3));
    if (random.nextBoolean()) {
      paused.add(endpoint);
    } else {
      paused.remove(endpoint);
    }
    trace.add(
        "gate %d = %d %s".formatted(endpoint, gates.get(endpoint), paused.contains(endpoint)));
    lanes.gate(endpoint, gates.get(endpoint), paused.contains(endpoint));
  }

  private void delete() {
    long endpoint = 1 + random.nextInt(ENDPOINTS);
    trace.add("delete " + endpoint);
    deleted.add(endpoint);
    lanes.cap(endpoint, 0);
    lanes.reread(endpoint);
    held.forEach(this::cancelHeld);
  }

  /** What stands aside for a deleted endpoint comes back to be cancelled. */
  private void cancelHeld(long lane) {
    List.copyOf(table.getOrDefault(lane, new TreeMap<>()).values()).stream()
        .filter(row -> deleted.contains(row.subscriptionPk()))
        .forEach(this::cancel);
  }

  /** Its policy changed: nothing of the endpoint is due later than this any more. */
  private void reschedule() {
    long endpoint = 1 + random.nextInt(ENDPOINTS);
    long latest = now + random.nextInt(10);
    trace.add("reschedule " + endpoint + " to " + latest + " at the latest");
    UnaryOperator<Delivery> times = row -> row.rescheduled(Math.min(row.dueAt(), latest));
    for (Delivery row : visible()) {
      if (row.subscriptionPk() == endpoint && !sending.containsKey(KeyLanes.laneOf(row))) {
        put(times.apply(row));
      }
    }
    lanes.reschedule(endpoint, times);
  }

  private void loseLease() {
    trace.add("lose the lease with " + names(sending.values()) + " under way");
    for (Delivery delivery : List.copyOf(sending.values())) {
      if (random.nextBoolean()) {
        remove(delivery);
      }
    }
    sending.clear();
    offered.clear();
    untold.clear();
    lanes = new KeyLanes(limits);
    tellCaps();
    blocking.stream().sorted().forEach(this::offerBlocking);
  }

  private void tellCaps() {
    caps.forEach(
        (endpoint, cap) -> {
          lanes.cap(endpoint, deleted.contains(endpoint) ? 0 : cap);
          lanes.blocks(endpoint, blocking.contains(endpoint));
        });
    gates.forEach((endpoint, atOnce) -> lanes.gate(endpoint, atOnce, paused.contains(endpoint)));
  }

  private void cancel(Delivery row) {
    if (!row.equals(sending.get(KeyLanes.laneOf(row)))) {
      remove(row);
    }
  }

  private void remove(Delivery row) {
    TreeMap<Long, Delivery> line = table.get(KeyLanes.laneOf(row));
    if (line != null) {
      line.remove(row.sequence());
    }
  }

  private List<Delivery> visible() {
    return table.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(entry -> entry.getValue().values().stream())
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private void check() {
    if (lanes.inFlight() != sending.size()) {
      throw new Broken(lanes.inFlight() + " in flight, not " + sending.size());
    }
    if (sending.size() > limits.inFlight()) {
      throw new Broken("more than " + limits.inFlight() + " in flight");
    }
    Map<Long, Long> perEndpoint =
        sending.values().stream()
            .collect(Collectors.groupingBy(Delivery::subscriptionPk, Collectors.counting()));
    perEndpoint.forEach(
        (endpoint, count) -> {
          if (count > 3) {
            throw new Broken("endpoint " + endpoint + " has " + count + " in flight");
          }
        });
    if (lanes.queuedCount() < 0 || lanes.queuedCount() > limits.lines() + limits.linePerLane()) {
      throw new Broken(lanes.queuedCount() + " deliveries queued behind heads");
    }
    int kept = lanes.laneCount() - lanes.waitingCount();
    if (kept > ENDPOINTS * limits.lanesPerEndpoint() + lanes.waitingCount() + LANES) {
      throw new Broken(kept + " lanes kept");
    }
  }

  /**
   * No more publishing and no holds: everything that may be sent must come out, each row offered
   * once at the most.
   */
  private void drain() {
    trace.add("drain");
    while (!open.isEmpty()) {
      commit();
    }
    for (long endpoint = 1; endpoint <= ENDPOINTS; endpoint++) {
      if (!deleted.contains(endpoint)) {
        caps.merge(endpoint, 1, Math::max);
        lanes.cap(endpoint, caps.get(endpoint));
        offerBlocking(endpoint);
      }
      lanes.gate(endpoint, Integer.MAX_VALUE, false);
    }
    gates.clear();
    paused.clear();
    List.copyOf(held).forEach(this::resume);
    tellOfLanes();
    offer(visible().stream().filter(row -> !offered.contains(row.id())).toList());
    for (int idle = 0; idle < 60; idle++) {
      now += 5;
      lanes.wake(now);
      readLanes();
      readBehind();
      int before = sending.size();
      start();
      check();
      if (!sending.isEmpty()) {
        long lane = sending.keySet().iterator().next();
        Delivery delivery = sending.remove(lane);
        remove(delivery);
        lanes.settled(lane);
        idle = 0;
      } else if (before != sending.size()) {
        idle = 0;
      }
    }
    List<Delivery> left = visible();
    if (!left.isEmpty()) {
      throw new Broken("never sent: " + names(left));
    }
    if (lanes.laneCount() != 0 || lanes.queuedCount() != 0 || lanes.inFlight() != 0) {
      throw new Broken(lanes.laneCount() + " lanes are left when all is settled");
    }
  }

  private static String name(Delivery row) {
    return (row.ordered() ? row.laneId() + "#" + row.sequence() : "free" + row.id())
        + ">"
        + row.subscriptionPk();
  }

  private static String names(Iterable<Delivery> rows) {
    List<String> names = new ArrayList<>();
    rows.forEach(row -> names.add(name(row)));
    return String.join(" ", names);
  }
}
