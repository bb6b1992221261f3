package dev.seriatim.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.queue.Holds;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Looks for lanes and partitions that were changed by hand, once for all drainers of this pod, and
 * names each change once.
 *
 * <p>Concurrency: thread-safe; those who ask take turns.
 */
@Component
class HoldWatch {

  /**
   * What is new.
   *
   * @param lanes to be read again, by partition
   * @param empty lanes of any partition with nothing left: the last of it was taken out of line
   * @param paused all partitions that are paused
   */
  record News(Map<Integer, Set<Long>> lanes, Set<Long> empty, Set<Integer> paused) {}

  private final Holds holds;
  private final ReentrantLock reads = new ReentrantLock();

  /** Changes of transactions below this have been named. */
  @GuardedBy("reads")
  private @Nullable Long xmin;

  /**
   * Changes at or above it that have been named all the same: while some transaction stays open
   * they come back with each look.
   */
  @GuardedBy("reads")
  private Set<Holds.ChangedLane> named = new HashSet<>();

  HoldWatch(Holds holds) {
    this.holds = holds;
  }

  /**
   * Whether a partition is paused. Whoever reads lanes calls it before the first one: what changes
   * from then on will be named.
   */
  boolean begin(int partition) {
    reads.lock();
    try {
      if (xmin == null) {
        xmin = holds.changedSince(null).snapshotXmin();
      }
    } finally {
      reads.unlock();
    }
    return paused(partition);
  }

  /** Whether a partition is paused, as of now. */
  boolean paused(int partition) {
    return holds.paused(partition);
  }

  News look() {
    reads.lock();
    try {
      Holds.Changes changes = holds.changedSince(xmin);
      Set<Holds.ChangedLane> open = new HashSet<>();
      Map<Integer, Set<Long>> lanes = new HashMap<>();
      Set<Long> empty = new HashSet<>();
      for (Holds.ChangedLane change : changes.lanes()) {
        Integer partition = change.partition();
        if (!named.contains(change) && partition == null) {
          empty.add(change.lane());
        } else if (!named.contains(change)) {
          lanes.computeIfAbsent(partition, none -> new HashSet<>()).add(change.lane());
        }
        if (Long.compareUnsigned(change.tx(), changes.snapshotXmin()) >= 0) {
          open.add(change);
        }
      }
      xmin = changes.snapshotXmin();
      named = open;
      return new News(lanes, empty, changes.paused());
    } finally {
      reads.unlock();
    }
  }
}
