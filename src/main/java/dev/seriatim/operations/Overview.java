package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster at one moment, as the first page of the console shows it.
 *
 * @param rates absent until there are two samples to compare
 * @param stuckAfterSeconds how long a head may fail before its partition counts as stuck
 * @param stuck numbers of the partitions with a head that has been failing for so long, however few
 *     deliveries wait there; how many wait decides nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Overview(
    @JsonUnwrapped PartitionLag lag,
    @Nullable Rates rates,
    long stuckAfterSeconds,
    List<Integer> stuck) {

  /**
   * What the whole cluster did per second, over the seconds that they were counted for.
   *
   * @param published events
   * @param attempts requests to receivers
   * @param settled deliveries that left the queue: delivered, given up or cancelled
   */
  record Rates(double published, double attempts, double settled, double overSeconds) {}

  static Overview of(PartitionLag lag, @Nullable Rates rates, HealthSettings health) {
    return new Overview(
        lag,
        rates,
        health.stalledAfter().toSeconds(),
        lag.partitions().stream()
            .filter(health::isStalled)
            .map(PartitionLag.Partition::partition)
            .toList());
  }
}
