package dev.seriatim.subscription;

import static dev.seriatim.api.ProblemException.invalid;

import dev.seriatim.subscription.RetryPolicy.Backoff;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import dev.seriatim.subscription.RetryPolicy.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Completes what a client wrote about retries with the defaults and checks it; see {@link
 * SubscriptionRules}. Immutable.
 */
final class RetryRules {

  private static final Duration LONGEST_WAIT = Duration.ofDays(Limits.MAX_DELAY_DAYS);

  private final SubscriptionDefaults.Retry usual;

  RetryRules(SubscriptionDefaults.Retry usual) {
    this.usual = usual;
  }

  RetryPolicy complete(@Nullable RetryBody given) {
    RetryBody retry = given == null ? RetryBody.EMPTY : given;
    return new RetryPolicy(
        waits(retry),
        Bounds.number(
            "retry.jitter", Objects.requireNonNullElse(retry.jitter(), usual.jitter()), 0, 1),
        Bounds.duration(
            "retry.maxAge",
            Objects.requireNonNullElse(retry.maxAge(), usual.maxAge()),
            Duration.ofSeconds(1),
            Duration.ofDays(Limits.MAX_AGE_DAYS)));
  }

  private Waits waits(RetryBody retry) {
    if (retry.preset() != null) {
      if (retry.schedule() != null) {
        throw excluded("retry.preset", "retry.schedule");
      }
      return alone("retry.preset", retry.preset().schedule(), retry);
    }
    if (retry.schedule() != null) {
      return alone("retry.schedule", schedule(retry.schedule()), retry);
    }
    boolean backoff = retry.maxAttempts() != null || !retry.backoffDelays().isEmpty();
    return backoff ? backoff(retry) : usual.waits();
  }

  private static Schedule schedule(List<@Nullable Duration> given) {
    if (given.isEmpty() || given.size() > Limits.MAX_WAITS) {
      throw invalid(
          "retry.schedule",
          "must have 1 to %d waits, it has %d; for a single attempt set retry.maxAttempts to 1 instead"
              .formatted(Limits.MAX_WAITS, given.size()));
    }
    List<Duration> waits = new ArrayList<>();
    for (Duration wait : given) {
      String field = "retry.schedule[" + waits.size() + "]";
      if (wait == null) {
        throw invalid(field, "is required");
      }
      waits.add(Bounds.duration(field, wait, Duration.ZERO, LONGEST_WAIT));
    }
    return new Schedule(waits);
  }

  /** A number of attempts is let pass if it is the one that clients read. */
  private static Schedule alone(String field, Schedule schedule, RetryBody retry) {
    List<String> delays = retry.backoffDelays();
    if (!delays.isEmpty()) {
      throw excluded(field, "retry." + delays.getFirst());
    }
    Integer attempts = retry.maxAttempts();
    if (attempts != null && attempts != schedule.maxAttempts()) {
      throw invalid(
          "retry.maxAttempts",
          "must be %d or left out, one more than there are waits in %s; it is %d. For a backoff instead, set %s to null"
              .formatted(schedule.maxAttempts(), field, attempts, field));
    }
    return schedule;
  }

  private static RuntimeException excluded(String field, String other) {
    return invalid(field, "and %s exclude each other; leave one of them out".formatted(other));
  }

  private Backoff backoff(RetryBody retry) {
    Backoff backoff = usual.backoff();
    Duration initialDelay =
        Bounds.duration(
            "retry.initialDelay",
            Objects.requireNonNullElse(retry.initialDelay(), backoff.initialDelay()),
            Duration.ZERO,
            LONGEST_WAIT);
    return new Backoff(
        Bounds.whole(
            "retry.maxAttempts",
            Objects.requireNonNullElse(retry.maxAttempts(), backoff.maxAttempts()),
            1,
            Limits.MAX_ATTEMPTS),
        initialDelay,
        Bounds.number(
            "retry.multiplier",
            Objects.requireNonNullElse(retry.multiplier(), backoff.multiplier()),
            1,
            Limits.MAX_MULTIPLIER),
        Bounds.duration(
            "retry.maxDelay",
            Objects.requireNonNullElse(retry.maxDelay(), backoff.maxDelay()),
            initialDelay,
            LONGEST_WAIT));
  }
}
