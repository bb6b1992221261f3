package dev.seriatim.queue;

import dev.seriatim.partition.PartitionLease;
import io.micrometer.core.instrument.DistributionSummary;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Records what attempts came to, for all partitions of this pod in shared statements, fenced by the
 * lease. Thread-safe; blocks until committed.
 */
@Component
public class Settler implements DisposableBean {

  /** Whether the write was this owner's to make. */
  public enum Outcome {
    /** Recorded, now or by an earlier try of the same settlement. */
    SETTLED,
    /**
     * The partition has been acquired by somebody since: nothing was written, the drainer must
     * stop.
     */
    FENCED
  }

  record Item(PartitionLease lease, Settlement settlement) {}

  private final GroupCommit<Item, Outcome> commits;
  private final SettleWriter writer;
  private final QueueMeters meters;
  private final DistributionSummary batches;

  Settler(SettleWriter writer, SettleSettings settings, QueueMeters meters) {
    this.writer = writer;
    this.meters = meters;
    this.batches = meters.batches("settle");
    this.commits =
        new GroupCommit<>(
            "settle",
            this::write,
            item -> 1,
            settings.maxBatch(),
            Integer.MAX_VALUE,
            Outage::is,
            settings::gather);
  }

  /**
   * Records one attempt. Safe to repeat after a failure whose outcome is unknown.
   *
   * @throws org.springframework.dao.DataAccessException when the database is away; the caller tries
   *     again, it must not send again
   */
  public Outcome settle(PartitionLease lease, Settlement settlement) {
    return counted(Waits.join(commits.submit(new Item(lease, settlement))));
  }

  /**
   * Takes deliveries of deleted subscriptions out of the queue, unsent. Blocks for one statement.
   */
  public Outcome cancel(PartitionLease lease, List<Delivery> deliveries) {
    return counted(writer.cancel(lease, deliveries));
  }

  private List<Outcome> write(List<Item> items) {
    List<Outcome> outcomes = writer.write(items);
    batches.record(items.size());
    return outcomes;
  }

  private Outcome counted(Outcome outcome) {
    if (outcome == Outcome.FENCED) {
      meters.fenced();
    }
    return outcome;
  }

  @Override
  public void destroy() {
    commits.close();
  }
}
