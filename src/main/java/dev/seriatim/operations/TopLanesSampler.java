package dev.seriatim.operations;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.api.PageRequest;
import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.queue.MetricsSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Finds the lanes that stand out when somebody asks; what was found serves all who ask within the
 * interval of the sampler, or longer where finding it took long. Reads all that is queued in the
 * lanes concerned, to see which are deepest.
 *
 * <p>Concurrency: thread-safe; those who ask take turns. Blocks for two statements, or for somebody
 * else's.
 */
@Component
class TopLanesSampler {

  /** Lanes in each list. */
  static final int MOST = 10;

  /** So that those who ask all the time take a tenth of it at most. */
  private static final int REST = 10;

  private record Dated(TopLanes lanes, long until) {}

  private final LaneQuery query;
  private final MonotonicClock clock;
  private final long fresh;
  private final ReentrantLock lock = new ReentrantLock();

  /** By partition; -1 is the cluster. */
  @GuardedBy("lock")
  private final Map<Integer, Dated> known = new HashMap<>();

  TopLanesSampler(LaneQuery query, MonotonicClock clock, MetricsSettings settings) {
    this.query = query;
    this.clock = clock;
    this.fresh = settings.sampleEvery().toNanos();
  }

  /**
   * @param partition null for the whole cluster
   */
  TopLanes top(@Nullable Integer partition) {
    lock.lock();
    try {
      long now = clock.nanos();
      known.values().removeIf(dated -> dated.until() - now <= 0);
      Integer key = partition == null ? -1 : partition;
      Dated dated = known.get(key);
      if (dated == null) {
        TopLanes found = find(partition);
        long took = clock.nanos() - now;
        dated = new Dated(found, clock.nanos() + Math.max(fresh, took * REST));
        known.put(key, dated);
      }
      return dated.lanes();
    } finally {
      lock.unlock();
    }
  }

  private TopLanes find(@Nullable Integer partition) {
    return new TopLanes(list(partition, Lane.Sort.AGE), list(partition, Lane.Sort.DEPTH));
  }

  private List<Lane> list(@Nullable Integer partition, Lane.Sort sort) {
    return query
        .list(
            new LaneFilter(null, null, null, null, partition, null),
            sort,
            PageRequest.of(null, MOST))
        .stream()
        .map(LaneQuery.Listed::lane)
        .limit(MOST)
        .toList();
  }
}
