package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.EjectReason;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Settlement;
import dev.seriatim.queue.Verdict;
import dev.seriatim.subscription.OnExhausted;
import dev.seriatim.subscription.RetryPolicy;
import dev.seriatim.subscription.Subscription;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What follows from a failed attempt at the head of a lane: another one after a wait, or none.
 * Pure; nothing in it overflows, whatever the number of attempts.
 */
final class FailurePolicy {

  /** The longest wait that a receiver can ask for: ten hours. */
  static final Duration MAX_HINT = Duration.ofHours(10);

  private FailurePolicy() {}

  /** What is to be done with the delivery. */
  sealed interface Decision {

    /**
     * Another attempt, this long after the failed one.
     *
     * @param asked whether it is the receiver that wants it to be so long
     */
    record RetryIn(Duration delay, boolean asked) implements Decision {}

    /** No further attempt: what becomes of the delivery and its lane its subscription says. */
    record GiveUp(EjectReason reason) implements Decision {}
  }

  /**
   * What is to be recorded of an attempt, and so what becomes of the delivery and its lane.
   *
   * @param delivery as it was before the attempt
   * @param headAge how long ago its first attempt was
   * @param random from 0 (inclusive) to 1 (exclusive)
   */
  static Settlement settlement(
      Subscription subscription,
      Delivery delivery,
      Exchange exchange,
      Duration headAge,
      double random) {
    return switch (exchange.verdict()) {
      case Verdict.Delivered delivered -> new Settlement.Delivered(delivery, exchange);
      case Verdict.Gone gone ->
          new Settlement.Disable(delivery, exchange, "the endpoint answered 410 Gone");
      case Verdict.Failed failed ->
          switch (decide(subscription.retry(), delivery.attempts() + 1, headAge, failed, random)) {
            case Decision.RetryIn retry ->
                new Settlement.Retry(delivery, exchange, retry.delay(), retry.asked());
            case Decision.GiveUp giveUp ->
                exhausted(subscription.onExhausted(), delivery, exchange, failed, giveUp.reason());
          };
    };
  }

  private static Settlement exhausted(
      OnExhausted policy,
      Delivery delivery,
      Exchange exchange,
      Verdict.Failed verdict,
      EjectReason reason) {
    return switch (policy) {
      case EJECT -> new Settlement.Eject(delivery, exchange, reason);
      // What has no lane cannot hold one; the API does not let such a subscription ask for it.
      case PARK ->
          delivery.ordered()
              ? new Settlement.Park(delivery, exchange, sentence(delivery, verdict, reason))
              : new Settlement.Eject(delivery, exchange, reason);
      case PAUSE -> new Settlement.Pause(delivery, exchange, sentence(delivery, verdict, reason));
    };
  }

  /** For people who look at what is held, and at three in the morning. */
  private static String sentence(Delivery delivery, Verdict.Failed verdict, EjectReason reason) {
    String often =
        "%s failed %s, last with %s%s"
            .formatted(
                delivery.ordered()
                    ? "the head, sequence %d,".formatted(delivery.sequence())
                    : "a delivery without order",
                delivery.attempts() == 0 ? "once" : delivery.attempts() + 1 + " times",
                verdict.code(),
                verdict.status() == null ? "" : " (%d)".formatted(verdict.status()));
    return switch (reason) {
      case ATTEMPTS_EXHAUSTED -> often + ", which are all attempts its subscription allows";
      case TOO_OLD -> often + ", over the longest time its subscription allows";
      case SKIPPED -> throw new IllegalArgumentException("no attempt skips anything");
    };
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
      return new Decision.GiveUp(EjectReason.ATTEMPTS_EXHAUSTED);
    }
    if (headAge.compareTo(policy.maxAge()) >= 0) {
      return new Decision.GiveUp(EjectReason.TOO_OLD);
    }
    Duration own = wait(policy, attempts, random);
    Duration delay = lengthened(own, verdict.retryAfter());
    return new Decision.RetryIn(delay, delay.compareTo(own) > 0);
  }

  /**
   * When a waiting delivery is due under a policy that may have changed since it failed: as late as
   * the policy would have let it wait at most, never later than it was to be due, and not sooner
   * where the receiver asked for the wait. Under the policy that it failed under it stays as it is.
   *
   * @return on the clock of {@link Delivery#dueAt}
   */
  static long dueAt(RetryPolicy policy, Delivery waiting) {
    Long failedAt = waiting.failedAt();
    if (failedAt == null) {
      return waiting.dueAt();
    }
    long latest = failedAt + wait(policy, waiting.attempts(), 1).toNanos();
    return latest - waiting.dueAt() < 0 ? latest : waiting.dueAt();
  }

  /**
   * The policy's wait, varied by the jitter's share either way: also lanes that have reached the
   * longest one stay spread.
   */
  private static Duration wait(RetryPolicy policy, int attempts, double random) {
    double delay =
        switch (policy.waits()) {
          case RetryPolicy.Backoff backoff -> grown(backoff, attempts);
          case RetryPolicy.Schedule schedule -> millis(nth(schedule.waits(), attempts));
        };
    double varied = delay * (1 + policy.jitter() * (2 * random - 1));
    return Duration.ofMillis((long) varied); // the cast saturates
  }

  /** The last one where there are fewer: so many attempts were made under another policy. */
  private static Duration nth(List<Duration> waits, int number) {
    return waits.get(Math.min(number, waits.size()) - 1);
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
