package dev.seriatim.subscription;

import java.time.Duration;
import java.util.List;

/**
 * How a failing head is retried.
 *
 * @param waits how often, and how long between the attempts
 * @param jitter share by which a wait is varied at random either way, 0 to 1
 * @param maxAge how long a head may go on failing, counted from its first attempt; then {@link
 *     OnExhausted} decides, whatever is left of the attempts
 */
public record RetryPolicy(Waits waits, double jitter, Duration maxAge) {

  /** With a {@link Backoff}. */
  public RetryPolicy(
      int maxAttempts,
      Duration initialDelay,
      double multiplier,
      Duration maxDelay,
      double jitter,
      Duration maxAge) {
    this(new Backoff(maxAttempts, initialDelay, multiplier, maxDelay), jitter, maxAge);
  }

  /** Attempts in all, at least 1; then {@link OnExhausted} decides. */
  public int maxAttempts() {
    return waits.maxAttempts();
  }

  /** The waits between the attempts, before they are varied. */
  public sealed interface Waits {

    /** Attempts in all, at least 1. */
    int maxAttempts();
  }

  /**
   * Waits that grow exponentially.
   *
   * @param maxAttempts attempts in all, at least 1
   * @param initialDelay wait after the first failed attempt, zero or more
   * @param multiplier growth of the wait from attempt to attempt, at least 1
   * @param maxDelay upper bound of the computed wait, at least {@code initialDelay}
   */
  public record Backoff(
      int maxAttempts, Duration initialDelay, double multiplier, Duration maxDelay)
      implements Waits {}

  /**
   * Waits one by one. The first attempt is made at once and is none of them.
   *
   * @param waits after the first failed attempt, after the second, and so on, at least one; each
   *     zero or more
   */
  public record Schedule(List<Duration> waits) implements Waits {

    public Schedule {
      waits = List.copyOf(waits);
    }

    /** One more than there are waits. */
    @Override
    public int maxAttempts() {
      return waits.size() + 1;
    }
  }
}
