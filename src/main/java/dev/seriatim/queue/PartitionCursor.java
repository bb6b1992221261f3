package dev.seriatim.queue;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads a partition from its beginning onwards and never loses a late commit.
 *
 * <p>A read goes forward from the last place seen. But a transaction that was open during a read
 * can still commit rows at lower places. So each read also brings its snapshot's xmin: everything
 * below it was decided. {@code horizon} is the lowest transaction that may still have unseen rows;
 * while it is at or below the place reached, there is a gap that only a <em>sweep</em>, a second
 * read from the horizon, can close. Without concurrent transactions there is no gap and no sweep.
 * While a long transaction keeps the horizon back, sweeps read the same rows again and again, so
 * each is followed by a rest ten times as long as it took.
 *
 * <p>The same row may come several times; the lanes know what they have. Concurrency: none, one
 * drainer's own; except {@link #seen}, which others may read, a little late.
 */
public final class PartitionCursor {

  private static final int REST = 10;
  private static final Duration SHORTEST_REST = Duration.ofMillis(20);
  private static final Duration LONGEST_REST = Duration.ofMillis(500);

  private final PartitionLog log;
  private final PartitionLease lease;
  private final MonotonicClock clock;
  private final int pageSize;

  private Place reached = Place.START;
  private long horizon = 1;
  private @Nullable Sweep sweep;
  private long nextSweepAt;
  private long rest = SHORTEST_REST.toNanos();

  /** Volatile: read by the poller, which asks the database what is new behind it. */
  private volatile Place seen = Place.START;

  private static final class Sweep {
    final long startedAt;
    final Place end;
    Place at;
    @Nullable Long xmin;

    Sweep(long startedAt, Place from, Place end) {
      this.startedAt = startedAt;
      this.at = from;
      this.end = end;
    }
  }

  /**
   * @param pageSize rows per read
   */
  public PartitionCursor(
      PartitionLog log, PartitionLease lease, MonotonicClock clock, int pageSize) {
    this.log = log;
    this.lease = lease;
    this.clock = clock;
    this.pageSize = pageSize;
    this.nextSweepAt = clock.nanos();
  }

  /**
   * Rows behind the place reached; fewer than a page means that there are no more for now. Blocks
   * for one statement.
   */
  public List<Delivery> forward() {
    PartitionLog.Page page = log.page(lease, reached, pageSize);
    if (!gap()) {
      horizon = page.xmin();
    }
    if (!page.deliveries().isEmpty()) {
      reached = Place.of(page.deliveries().getLast());
    }
    seen = reached;
    return page.deliveries();
  }

  /** Begins again with the first row of the partition. */
  public void rewind() {
    reached = Place.START;
    horizon = 1;
    sweep = null;
    seen = reached;
  }

  /** Whether a list from {@link #forward} was full, so that there may be more at once. */
  public boolean full(List<Delivery> deliveries) {
    return deliveries.size() >= pageSize;
  }

  /** When a sweep is due, if one is needed at all; nanoseconds. */
  public OptionalLong sweepAt() {
    return gap()
        ? OptionalLong.of(sweep == null ? nextSweepAt : clock.nanos())
        : OptionalLong.empty();
  }

  /**
   * One page of a sweep: rows between the horizon and the place reached. Blocks for one statement.
   */
  public List<Delivery> sweep() {
    Sweep current = sweep;
    if (current == null) {
      current = new Sweep(clock.nanos(), Place.before(horizon), reached);
      sweep = current;
    }
    PartitionLog.Page page = log.page(lease, current.at, pageSize);
    if (current.xmin == null) {
      current.xmin = page.xmin();
    }
    boolean last = !full(page.deliveries());
    if (!page.deliveries().isEmpty()) {
      current.at = Place.of(page.deliveries().getLast());
      last |= current.at.compareTo(current.end) >= 0;
    }
    if (last) {
      end(current, current.xmin);
    }
    return page.deliveries();
  }

  private void end(Sweep ended, long xmin) {
    rest = xmin == horizon ? Math.min(2 * rest, LONGEST_REST.toNanos()) : SHORTEST_REST.toNanos();
    horizon = xmin;
    sweep = null;
    long now = clock.nanos();
    nextSweepAt = now + Math.max(rest, REST * (now - ended.startedAt));
  }

  /** What transactions below this have written was to be seen before the last read. */
  public long horizon() {
    return horizon;
  }

  /**
   * The place reached; what commits late below it is found by a sweep, not by looking behind it.
   * Any thread.
   */
  public Place seen() {
    return seen;
  }

  private boolean gap() {
    return Long.compareUnsigned(horizon, reached.tx()) <= 0;
  }
}
