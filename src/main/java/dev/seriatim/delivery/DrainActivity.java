package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.PartitionActivity;
import dev.seriatim.queue.Verdict;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a drainer is doing, for those who look.
 *
 * <p>Concurrency: {@link #started} and {@link #landed} are the drainer's, {@link #report} the
 * reporter's, which sees their numbers a moment late at most.
 */
final class DrainActivity {

  private record Failure(Verdict.Failed verdict, long subscriptionPk, long at) {}

  private final PartitionLease lease;
  private final MonotonicClock clock;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicLong delivered = new AtomicLong();

  /** Volatile: written by the drainer, read by the reporter. */
  private volatile @Nullable Failure lastError;

  private long reportedAt;
  private long reportedDelivered;

  DrainActivity(PartitionLease lease, MonotonicClock clock) {
    this.lease = lease;
    this.clock = clock;
    this.reportedAt = clock.nanos();
  }

  void started() {
    inFlight.incrementAndGet();
  }

  void landed(AttemptResult result) {
    inFlight.decrementAndGet();
    switch (result.verdict()) {
      case Verdict.Delivered ok -> delivered.incrementAndGet();
      case Verdict.Failed failed ->
          lastError = new Failure(failed, result.delivery().subscriptionPk(), clock.nanos());
      case Verdict.Gone gone ->
          lastError =
              new Failure(
                  new Verdict.Failed(gone.code(), gone.status(), null),
                  result.delivery().subscriptionPk(),
                  clock.nanos());
      case null -> {}
    }
  }

  /** As of now; the rate is that since the last report, or since the drainer was made. */
  PartitionActivity report() {
    long now = clock.nanos();
    long sum = delivered.get();
    double seconds = Math.max(1, now - reportedAt) / (double) TimeUnit.SECONDS.toNanos(1);
    double rate = (sum - reportedDelivered) / seconds;
    reportedAt = now;
    reportedDelivered = sum;
    return new PartitionActivity(lease, inFlight.get(), rate, failure(now));
  }

  private PartitionActivity.@Nullable Failure failure(long now) {
    Failure error = lastError;
    return error == null
        ? null
        : new PartitionActivity.Failure(
            error.verdict().code(),
            error.verdict().status(),
            error.subscriptionPk(),
            Duration.ofNanos(now - error.at()));
  }
}
