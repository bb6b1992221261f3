package dev.seriatim.delivery;

import dev.seriatim.partition.Ownership;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.PartitionActivity;
import dev.seriatim.queue.PartitionLog;
import dev.seriatim.queue.Place;
import dev.seriatim.queue.WakeUps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One drainer per lease, and the look around that they share: what is new behind each, which
 * subscriptions have changed and what is held, each one statement for all.
 *
 * <p>Concurrency: ownership changes come from the lease thread, wake-ups and suspensions from any,
 * {@link #poll} from one scheduler thread.
 */
final class Drainers implements Ownership {

  private static final Logger log = LoggerFactory.getLogger(Drainers.class);

  private final PartitionDrainer.Tools tools;
  private final PartitionLog queue;
  private final SubscriptionCache subscriptions;
  private final Map<Integer, PartitionDrainer> drainers = new ConcurrentHashMap<>();

  /** When the last drainer of each partition is quiet. Lease thread only. */
  private final Map<Integer, CompletableFuture<Void>> quiet = new HashMap<>();

  private boolean failing;

  Drainers(PartitionDrainer.Tools tools, WakeUps wakeUps) {
    this.tools = tools;
    this.queue = tools.log();
    this.subscriptions = tools.subscriptions();
    wakeUps.listen(this::wake);
  }

  @Override
  public void acquired(PartitionLease lease) {
    PartitionDrainer drainer = new PartitionDrainer(lease, tools);
    drainers.put(lease.partition(), drainer);
    drainer.startAfter(
        quiet.getOrDefault(lease.partition(), CompletableFuture.completedFuture(null)));
    quiet.put(lease.partition(), drainer.quiet());
  }

  @Override
  public CompletableFuture<Void> release(PartitionLease lease) {
    PartitionDrainer drainer = drainers.get(lease.partition());
    if (drainer == null || drainer.lease() != lease) {
      return CompletableFuture.completedFuture(null);
    }
    return drainer.release().thenRun(() -> drainers.remove(lease.partition(), drainer));
  }

  @Override
  public void lost(PartitionLease lease) {
    PartitionDrainer drainer = drainers.get(lease.partition());
    if (drainer != null && drainer.lease() == lease) {
      drainers.remove(lease.partition(), drainer);
      drainer.abort();
    }
  }

  @Override
  public void suspended() {
    drainers.values().forEach(PartitionDrainer::breakOff);
  }

  /**
   * Finds what no wake-up told of. Blocks for three statements; a failing database is left to the
   * next call.
   */
  void poll() {
    try {
      Map<Integer, Place> places = new HashMap<>();
      drainers.forEach((partition, drainer) -> places.put(partition, drainer.seen()));
      if (!places.isEmpty()) {
        Set<Long> changed = subscriptions.refresh();
        if (!changed.isEmpty()) {
          drainers.values().forEach(drainer -> drainer.changed(changed));
        }
        HoldWatch.News news = tools.holds().look();
        drainers.forEach((partition, drainer) -> tell(drainer, partition, news));
        queue.news(places).forEach(this::wake);
      }
      failing = false;
    } catch (RuntimeException | Error e) {
      // An Error as well: the scheduler would not call again.
      if (!failing) {
        log.warn("The database does not answer the poller; trying again: {}", e.toString());
        failing = true;
      }
    }
  }

  /** What the drainers are doing, and have done since the last call. One thread at a time. */
  List<PartitionActivity> activities() {
    return drainers.values().stream().map(drainer -> drainer.activity().report()).toList();
  }

  private static void tell(PartitionDrainer drainer, int partition, HoldWatch.News news) {
    Set<Long> lanes = news.lanes().get(partition);
    if (lanes != null) {
      drainer.changedLanes(lanes);
    }
    if (!news.empty().isEmpty()) {
      drainer.emptiedLanes(news.empty());
    }
    drainer.paused(news.paused().contains(partition));
  }

  /**
   * @return whether the partition is drained here
   */
  private boolean wake(int partition) {
    PartitionDrainer drainer = drainers.get(partition);
    if (drainer == null) {
      return false;
    }
    drainer.wake();
    return true;
  }
}
