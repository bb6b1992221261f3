package dev.seriatim.queue;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/** The meters of what goes into the queue and of the work on its tables. Thread-safe. */
@Component
class QueueMeters {

  private static final double[] SIZES = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000};

  private final MeterRegistry registry;
  private final Counter accepted;
  private final Counter repeated;
  private final Counter conflicting;
  private final Counter queued;
  private final Counter fenced;
  private final Counter statements;

  QueueMeters(MeterRegistry registry) {
    this.registry = registry;
    this.accepted = published("accepted");
    this.repeated = published("repeated");
    this.conflicting = published("conflicting");
    this.queued =
        Counter.builder("seriatim.deliveries.queued")
            .description("Deliveries that published events came to")
            .register(registry);
    this.fenced =
        Counter.builder("seriatim.writes.fenced")
            .description(
                "Writes that found their partition acquired by somebody else, and changed nothing")
            .register(registry);
    this.statements =
        Counter.builder("seriatim.sql.statements")
            .description("Statements run on the connections of the pool")
            .register(registry);
  }

  private Counter published(String outcome) {
    return Counter.builder("seriatim.events")
        .description("Events that were published, by whether they were new")
        .tag("outcome", outcome)
        .register(registry);
  }

  /** How many items of some work share a transaction or a statement. */
  DistributionSummary batches(String work) {
    return DistributionSummary.builder("seriatim.batch.size")
        .description("Items that shared one transaction (publish) or one statement")
        .tag("work", work)
        .serviceLevelObjectives(SIZES)
        .register(registry);
  }

  /** What was committed, or refused. */
  void published(PublishResult result) {
    switch (result) {
      case PublishResult.Accepted stored when stored.duplicate() -> repeated.increment();
      case PublishResult.Accepted stored -> {
        accepted.increment();
        queued.increment(stored.deliveries().size());
      }
      case PublishResult.Conflict conflict -> conflicting.increment();
    }
  }

  void fenced() {
    fenced.increment();
  }

  void statement() {
    statements.increment();
  }
}
