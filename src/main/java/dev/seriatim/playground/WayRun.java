package dev.seriatim.playground;

import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What came of the events one way. Times are virtual milliseconds.
 *
 * @param attempts in the order in which they ended
 * @param orders how each order ended, by number
 * @param wrong orders that ended with another status than their last
 * @param late events that were there after a later one of their order, whether dropped or not
 * @param dropped late events that were not written
 * @param retries attempts that followed a failed one
 * @param finishMs when the last attempt ended
 * @param coldWaitMeanMs how long the events of cold orders waited for their first attempt, on
 *     average. Cold is an order that is neither hot nor failing
 * @param coldWaitMaxMs how long the one of them waited that waited longest
 */
record WayRun(
    Way way,
    List<Attempt> attempts,
    List<FinalStatus> orders,
    int wrong,
    int late,
    int dropped,
    int retries,
    long finishMs,
    long coldWaitMeanMs,
    long coldWaitMaxMs) {

  /**
   * How an order ended.
   *
   * @param right whether that is its last event
   */
  record FinalStatus(Status status, int version, boolean right) {}

  static WayRun of(Workload workload, Way way) {
    Simulation simulation = new Simulation(workload, way);
    List<Attempt> attempts = simulation.run();
    List<FinalStatus> orders =
        IntStream.range(0, Workload.ORDERS)
            .mapToObj(order -> finalStatus(workload, simulation.board(), order))
            .toList();
    Map<Attempt.Outcome, Long> counts =
        attempts.stream().collect(Collectors.groupingBy(Attempt::outcome, Collectors.counting()));
    int dropped = counts.getOrDefault(Attempt.Outcome.DROPPED, 0L).intValue();
    LongSummaryStatistics waits = coldWaits(workload, attempts);
    return new WayRun(
        way,
        attempts,
        orders,
        (int) orders.stream().filter(order -> !order.right()).count(),
        dropped + counts.getOrDefault(Attempt.Outcome.LATE, 0L).intValue(),
        dropped,
        counts.getOrDefault(Attempt.Outcome.FAILED, 0L).intValue(),
        attempts.getLast().endMs(),
        Math.round(waits.getAverage()),
        waits.getMax());
  }

  private static FinalStatus finalStatus(Workload workload, StatusBoard board, int order) {
    OrderEvent last = board.of(order);
    if (last == null) {
      throw new IllegalStateException("nothing was written of order " + order);
    }
    return new FinalStatus(
        last.status(), last.version(), last.version() == workload.versions(order));
  }

  private static LongSummaryStatistics coldWaits(Workload workload, List<Attempt> attempts) {
    return attempts.stream()
        .filter(attempt -> attempt.attempt() == 1 && workload.isCold(attempt.event().order()))
        .mapToLong(attempt -> attempt.startMs() - attempt.event().publishedMs())
        .summaryStatistics();
  }
}
