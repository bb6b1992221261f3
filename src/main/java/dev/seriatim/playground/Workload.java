package dev.seriatim.playground;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What all ways have to do: the events, how long each takes, and which one fails. Depends on the
 * switches alone, and on each of them only where it says so, so that a switch changes nothing else.
 *
 * @param keys of the orders, each another one per seed, so that they hash differently
 * @param events in order of publication
 * @param failingOrder the order whose payment fails at first; -1 for none
 */
record Workload(Switches switches, List<String> keys, List<OrderEvent> events, int failingOrder) {

  static final int ORDERS = 5;

  /** The order that is hot if one is. */
  static final int HOT_ORDER = 0;

  /** How often the failing event fails. */
  static final int FAILURES = 3;

  /** The failing event is the payment: what comes after it is there before it has succeeded. */
  private static final int FAILING_VERSION = 2;

  private static final int SCANS = 20;
  private static final long STEADY_MS = 100;
  private static final double FASTEST_MS = 30;
  private static final double SLOWEST_MS = 480;
  private static final long FIRST_WAIT_MS = 250;

  /** What chance decides, each with numbers of its own. */
  private enum Chance {
    KEYS,
    PUBLICATION,
    FAILURE,
    PROCESSING
  }

  static Workload of(Switches switches) {
    return new Workload(
        switches,
        keys(random(switches, Chance.KEYS)),
        events(switches),
        switches.failing() == Switches.Failing.NONE
            ? -1
            // Never the hot one: two misfortunes of one order would tell less.
            : random(switches, Chance.FAILURE).nextInt(HOT_ORDER + 1, ORDERS));
  }

  /** How long an attempt takes, at least 1 ms; longest and shortest are 16 to 1 when shuffled. */
  long processingMs(OrderEvent event, int attempt) {
    if (!switches.shuffled()) {
      return STEADY_MS;
    }
    double chance =
        random(switches, Chance.PROCESSING, event.order(), event.version(), attempt).nextDouble();
    return Math.round(FASTEST_MS * Math.pow(SLOWEST_MS / FASTEST_MS, chance));
  }

  /** Whether an attempt fails. */
  boolean fails(OrderEvent event, int attempt) {
    return event.order() == failingOrder
        && event.version() == FAILING_VERSION
        && attempt <= FAILURES;
  }

  /** How long to wait after a failed attempt: 250 ms, 500 ms, 1000 ms. */
  static long waitMs(int attempt) {
    return FIRST_WAIT_MS << (attempt - 1);
  }

  /** Whether the order has no cause of its own for waiting: neither hot nor failing. */
  boolean isCold(int order) {
    return order != failingOrder && !(switches.hot() && order == HOT_ORDER);
  }

  /** How many events the order has. */
  int versions(int order) {
    return (int) events.stream().filter(event -> event.order() == order).count();
  }

  private static List<String> keys(SplittableRandom random) {
    Set<String> keys = new LinkedHashSet<>();
    while (keys.size() < ORDERS) {
      keys.add("order-" + random.nextInt(1000, 10_000));
    }
    return List.copyOf(keys);
  }

  private static List<OrderEvent> events(Switches switches) {
    List<OrderEvent> events = new ArrayList<>();
    for (int order = 0; order < ORDERS; order++) {
      boolean hot = switches.hot() && order == HOT_ORDER;
      SplittableRandom random = random(switches, Chance.PUBLICATION, order);
      long at = random.nextLong(150);
      int version = 0;
      for (Status status : statuses(hot)) {
        version++;
        events.add(new OrderEvent(order, version, status, at));
        at += hot ? random.nextLong(10, 50) : random.nextLong(40, 160);
      }
    }
    events.sort(Comparator.comparingLong(OrderEvent::publishedMs));
    return List.copyOf(events);
  }

  private static List<Status> statuses(boolean hot) {
    List<Status> statuses =
        new ArrayList<>(List.of(Status.CREATED, Status.PAID, Status.PACKED, Status.SHIPPED));
    if (hot) {
      statuses.addAll(Collections.nCopies(SCANS, Status.SCANNED));
    }
    statuses.add(Status.DELIVERED);
    return statuses;
  }

  private static SplittableRandom random(Switches switches, Chance chance, Integer... of) {
    return new SplittableRandom(
        Objects.hash(switches.seed(), chance.ordinal(), List.of(of)) * 0x9E3779B97F4A7C15L);
  }
}
