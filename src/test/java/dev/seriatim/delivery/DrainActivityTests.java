package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.PartitionActivity;
import dev.seriatim.queue.Settlement;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DrainActivityTests {

  private static final Verdict OK = new Verdict.Delivered(204);

  private final AtomicLong nanos = new AtomicLong();
  private final DrainActivity activity =
      new DrainActivity(
          new PartitionLease(5, 7, UUID.randomUUID(), nanos::get, Long.MAX_VALUE), nanos::get);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final AttemptMeters meters = new AttemptMeters(registry);

  @Test
  void reportsTheRateSinceTheLastReport() {
    for (int i = 0; i < 30; i++) {
      activity.started();
    }
    for (int i = 0; i < 20; i++) {
      activity.landed(new AttemptResult.Settled(delivery(0), OK));
    }
    pass(Duration.ofSeconds(5));

    PartitionActivity report = activity.report();
    assertThat(report.inFlight()).isEqualTo(10);
    assertThat(report.deliveredPerSecond()).isEqualTo(4);
    assertThat(report.lastError()).isNull();

    pass(Duration.ofSeconds(5));
    assertThat(activity.report().deliveredPerSecond()).isZero();
    assertThat(activity.report().deliveredPerSecond()).as("at once again").isZero();
  }

  @Test
  void remembersTheLastErrorAndWhenItWas() {
    activity.started();
    activity.landed(new AttemptResult.Settled(delivery(0), failed(VerdictCode.TIMEOUT, null)));
    activity.started();
    activity.landed(new AttemptResult.Settled(delivery(0), failed(VerdictCode.SERVER_ERROR, 503)));
    activity.started();
    activity.landed(new AttemptResult.NotSent(delivery(0)));
    pass(Duration.ofSeconds(3));

    PartitionActivity report = activity.report();
    assertThat(report.inFlight()).isZero();
    assertThat(report.lastError())
        .isEqualTo(
            new PartitionActivity.Failure(VerdictCode.SERVER_ERROR, 503, 9, Duration.ofSeconds(3)));
  }

  @Test
  void firstAttemptIsMeasuredFromPublishingToItsStart() {
    pass(Duration.ofSeconds(10));
    meters.answered(delivery(0), exchange(failed(VerdictCode.TIMEOUT, null)), nanos.get());
    meters.answered(delivery(1), exchange(OK), nanos.get());

    var wait = registry.get("seriatim.deliveries.wait").timer();
    assertThat(wait.count()).isOne();
    assertThat(wait.totalTime(TimeUnit.SECONDS)).isEqualTo(8);
    assertThat(registry.get("seriatim.attempts").tag("verdict", "timeout").timer().count()).isOne();
    assertThat(
            registry
                .get("seriatim.attempts")
                .tag("verdict", "delivered")
                .timer()
                .totalTime(TimeUnit.SECONDS))
        .isEqualTo(2);
  }

  @Test
  void onlyWhatLeavesTheQueueIsSettled() {
    pass(Duration.ofSeconds(10));
    Exchange failure = exchange(failed(VerdictCode.TIMEOUT, null));
    meters.recorded(new Settlement.Retry(delivery(0), failure, Duration.ZERO, false), nanos.get());
    meters.recorded(new Settlement.Park(delivery(0), failure, "why"), nanos.get());
    assertThat(registry.get("seriatim.deliveries.duration").timer().count()).isZero();

    meters.recorded(new Settlement.Delivered(delivery(0), exchange(OK)), nanos.get());

    var settled = registry.get("seriatim.deliveries.duration").timer();
    assertThat(settled.totalTime(TimeUnit.SECONDS)).isEqualTo(10);
    for (String outcome : new String[] {"retried", "parked", "delivered"}) {
      assertThat(registry.get("seriatim.deliveries").tag("outcome", outcome).counter().count())
          .as(outcome)
          .isOne();
    }
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private static Delivery delivery(int attempts) {
    return new Delivery(1, 1, 1, 1, 1, 9, attempts, 0, null, null, null, null);
  }

  private static Exchange exchange(Verdict verdict) {
    return new Exchange(verdict, Duration.ofSeconds(2), null, null, null, null);
  }

  private static Verdict failed(VerdictCode code, Integer status) {
    return new Verdict.Failed(code, status, null);
  }
}
