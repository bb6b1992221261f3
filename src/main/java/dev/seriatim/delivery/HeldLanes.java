package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lanes that were found held, so that each row of them that a scan still meets need not be looked
 * into again. Only rows that were to be seen when the lane was found held are vouched for: whoever
 * makes the lane go on while one of them is queued is heard of, and the lane {@link #forget
 * forgotten}; if none of them is left, nothing of them is ever met.
 *
 * <p>Concurrency: none, the feeder's. Bounded; what it does not know any more costs a read.
 */
final class HeldLanes {

  private static final int LANES = 50_000;

  /** By lane, the transaction below which its rows were to be seen. */
  private final Map<Long, Long> found =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
          return size() > LANES;
        }
      };

  /**
   * @param xmin transactions below it were decided before the lane was read
   */
  void found(long lane, long xmin) {
    found.put(lane, xmin);
  }

  /** These lanes may go on. */
  void forget(Collection<Long> lanes) {
    found.keySet().removeAll(lanes);
  }

  /** Whether the delivery stands in line in a held lane. */
  boolean holds(Delivery delivery) {
    Long xmin = delivery.ordered() ? found.get(delivery.laneId()) : null;
    return xmin != null && Long.compareUnsigned(delivery.tx(), xmin) < 0;
  }
}
