package dev.seriatim.delivery;

import dev.seriatim.queue.EjectReason;
import dev.seriatim.queue.Verdict;
import dev.seriatim.subscription.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What follows from a failed attempt at the head of a lane: another one after a wait, or out of
 * line. Pure; nothing in it overflows, whatever the number of attempts.
 */
final class FailurePolicy {

  /** The longest wait that a receiver can ask for: ten hours. */
  static final Duration MAX_HINT = Duration.ofHours(10);

  private FailurePolicy() {}

  /** What is to be done with the delivery. */
  sealed interface Decision {

    /** Another attempt, this long after the failed one. */
    record RetryIn(Duration delay) implements Decision {}

    /** To the dead letters. */
    record Eject(EjectReason reason) implements Decision {}
  }

  /**
   * @param attempts attempts that came to a verdict, this one included, at least 1
   * @param headAge how long ago the first attempt was
   * @param random from 0 (inclusive) to 1 (exclusive); spreads the retries of lanes that failed
   *     together
   */
  static Decision decide(
      RetryPolicy policy, int attempts, Duration headAge, Verdict.Failed verdict, double random) {
    if (attempts >= policy.maxAttempts()) {
      return new Decision.Eject(EjectReason.ATTEMPTS_EXHAUSTED);
    }
    if (headAge.compareTo(policy.maxAge()) >= 0) {
      return new Decision.Eject(EjectReason.TOO_OLD);
    }
    return new Decision.RetryIn(lengthened(wait(policy, attempts, random), verdict.retryAfter()));
  }

  /**
   * The policy's wait, varied by the jitter's share either way: also lanes that have reached the
   * longest one stay spread.
   */
  private static Duration wait(RetryPolicy policy, int attempts, double random) {
    double delay =
        switch (policy.waits()) {
          case RetryPolicy.Backoff backoff -> grown(backoff, attempts);
          case RetryPolicy.Schedule schedule -> millis(schedule.waits().get(attempts - 1));
        };
    double varied = delay * (1 + policy.jitter() * (2 * random - 1));
    return Duration.ofMillis((long) varied); // the cast saturates
  }

  /** initialDelay × multiplier^(attempts − 1), at most maxDelay. */
  private static double grown(RetryPolicy.Backoff backoff, int attempts) {
    double initial = millis(backoff.initialDelay());
    // Infinite growth is fine, zero times infinity is not.
    return initial == 0
        ? 0
        : Math.min(
            millis(backoff.maxDelay()), initial * Math.pow(backoff.multiplier(), attempts - 1.0));
  }

  /** A hint may lengthen the wait up to {@link #MAX_HINT}, never shorten it. */
  private static Duration lengthened(Duration delay, @Nullable Duration hint) {
    if (hint == null) {
      return delay;
    }
    Duration asked = hint.compareTo(MAX_HINT) > 0 ? MAX_HINT : hint;
    return asked.compareTo(delay) > 0 ? asked : delay;
  }

  private static double millis(Duration duration) {
    return duration.getSeconds() * 1e3 + duration.getNano() / 1e6;
  }
}
