package dev.seriatim.development;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A shop in which several orders are under way at once: each goes from placed to delivered, step by
 * step, mixed with the others as chance will have it. The same seed gives the same day.
 * Concurrency: none.
 */
final class DemoOrders {

  /** What happens to every order, in this order. */
  static final List<String> STEPS = List.of("placed", "paid", "packed", "shipped", "delivered");

  private static final int OPEN_ORDERS = 12;

  /**
   * @param step index into {@link #STEPS}
   */
  record OrderEvent(String order, int step) {

    /** Unique, so that publishing it again is recognised. */
    String id() {
      return order + "-" + STEPS.get(step);
    }

    String type() {
      return "order." + STEPS.get(step);
    }
  }

  private record Order(String name, int nextStep) {}

  private final String run;
  private final RandomGenerator random;
  private final List<Order> open = new ArrayList<>();
  private int count;

  /**
   * @param run beginning of every order's name, different for every run: a database that was kept
   *     knows the orders of the runs before
   */
  DemoOrders(String run, RandomGenerator random) {
    this.run = run;
    this.random = random;
  }

  OrderEvent next() {
    while (open.size() < OPEN_ORDERS) {
      count++;
      open.add(new Order("%s-%04d".formatted(run, count), 0));
    }
    int chosen = random.nextInt(OPEN_ORDERS);
    Order order = open.get(chosen);
    if (order.nextStep() == STEPS.size() - 1) {
      open.remove(chosen);
    } else {
      open.set(chosen, new Order(order.name(), order.nextStep() + 1));
    }
    return new OrderEvent(order.name(), order.nextStep());
  }
}
