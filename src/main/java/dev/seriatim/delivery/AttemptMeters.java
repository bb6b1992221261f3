package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Settlement;
import dev.seriatim.queue.VerdictCode;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.springframework.stereotype.Component;

/** The meters of what this pod attempts and delivers. Thread-safe. */
@Component
class AttemptMeters {

  /** What a recorded verdict made of a delivery. */
  private enum Outcome {
    /** Out of the queue: acknowledged. */
    DELIVERED,
    /** Stays at the head, to be tried again. */
    RETRIED,
    /** Out of the queue, into the dead letters. */
    EJECTED,
    /** Stays, and its lane is held. */
    PARKED,
    /** Stays, and its partition is paused. */
    PAUSED,
    /** Stays, and its subscription is disabled. */
    DISABLED
  }

  private static final Duration[] REQUESTS =
      millis(5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000);

  /** From a fast request to a delivery that is retried for hours. */
  private static final Duration[] WAITS =
      millis(
          10,
          25,
          50,
          100,
          250,
          500,
          1_000,
          2_500,
          5_000,
          10_000,
          30_000,
          60_000,
          300_000,
          900_000,
          3_600_000,
          14_400_000,
          86_400_000);

  private final Map<VerdictCode, Timer> attempts = new EnumMap<>(VerdictCode.class);
  private final Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);
  private final Timer firstAttempt;
  private final Timer settled;
  private final Counter duplicates;

  AttemptMeters(MeterRegistry registry) {
    for (VerdictCode code : VerdictCode.values()) {
      attempts.put(
          code,
          Timer.builder("seriatim.attempts")
              .description(
                  "Requests to receivers, by verdict: from dialling to the end of the answer")
              .tag("verdict", code.name().toLowerCase(Locale.ROOT))
              .serviceLevelObjectives(REQUESTS)
              .register(registry));
    }
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(
          outcome,
          Counter.builder("seriatim.deliveries")
              .description("Recorded verdicts, by what became of the delivery")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    firstAttempt =
        waits(registry, "seriatim.deliveries.wait", "From publishing to the first attempt");
    settled =
        waits(
            registry,
            "seriatim.deliveries.duration",
            "From publishing until the delivery is out of the queue, delivered or ejected");
    duplicates =
        Counter.builder("seriatim.duplicates.suspected")
            .description(
                "Requests that may have arrived and whose verdict this pod could not record: they are sent again")
            .register(registry);
  }

  private static Timer waits(MeterRegistry registry, String name, String description) {
    return Timer.builder(name)
        .description(description)
        .serviceLevelObjectives(WAITS)
        .register(registry);
  }

  private static Duration[] millis(long... values) {
    return LongStream.of(values).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
  }

  /**
   * A request has its answer, or failed.
   *
   * @param now nanoseconds of the clock that {@link Delivery#queuedAt} is of
   */
  void answered(Delivery delivery, Exchange exchange, long now) {
    get(attempts, exchange.verdict().code()).record(exchange.took());
    if (delivery.attempts() == 0) {
      Duration sinceQueued = Duration.ofNanos(now - delivery.queuedAt());
      firstAttempt.record(sinceQueued.minus(exchange.took()));
    }
  }

  /** A verdict is recorded. */
  void recorded(Settlement settlement, long now) {
    Outcome outcome = outcome(settlement);
    get(outcomes, outcome).increment();
    if (outcome == Outcome.DELIVERED || outcome == Outcome.EJECTED) {
      settled.record(Duration.ofNanos(now - settlement.delivery().queuedAt()));
    }
  }

  /** It may have arrived, and comes again: nobody could record that it did. */
  void duplicateSuspected() {
    duplicates.increment();
  }

  private static Outcome outcome(Settlement settlement) {
    return switch (settlement) {
      case Settlement.Delivered delivered -> Outcome.DELIVERED;
      case Settlement.Retry retry -> Outcome.RETRIED;
      case Settlement.Eject eject -> Outcome.EJECTED;
      case Settlement.Park park -> Outcome.PARKED;
      case Settlement.Pause pause -> Outcome.PAUSED;
      case Settlement.Disable disable -> Outcome.DISABLED;
    };
  }

  private static <K extends Enum<K>, M> M get(Map<K, M> meters, K key) {
    M meter = meters.get(key);
    if (meter == null) {
      throw new IllegalArgumentException(key.name());
    }
    return meter;
  }
}
