package dev.seriatim.playground;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The same events four ways.
 *
 * @param switches what was set
 * @param orders the orders, by number
 * @param events what is published, in order of publication
 * @param ways the ways, each with what came of it
 */
record Run(Switches switches, List<Order> orders, List<OrderEvent> events, List<WayRun> ways) {

  /**
   * One order of a run.
   *
   * @param versions how many events it has; the last one is how it should end
   * @param hot whether it has far more events than the others
   * @param failing whether one of its events fails at first
   */
  record Order(String key, int versions, boolean hot, boolean failing) {}

  static Run of(Switches switches) {
    Workload workload = Workload.of(switches);
    return new Run(
        switches,
        IntStream.range(0, Workload.ORDERS).mapToObj(order -> order(workload, order)).toList(),
        workload.events(),
        Arrays.stream(Way.values()).map(way -> WayRun.of(workload, way)).toList());
  }

  private static Order order(Workload workload, int order) {
    return new Order(
        workload.keys().get(order),
        workload.versions(order),
        workload.switches().hot() && order == Workload.HOT_ORDER,
        order == workload.failingOrder());
  }
}
