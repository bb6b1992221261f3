package dev.seriatim.subscription;

import java.time.Duration;

/**
 * How a failing head is retried: exponential backoff with jitter.
 *
 * @param maxAttempts attempts in all, at least 1; then {@link OnExhausted} decides
 * @param initialDelay wait after the first failed attempt, zero or more
 * @param multiplier growth of the wait from attempt to attempt, at least 1
 * @param maxDelay upper bound of the computed wait, at least {@code initialDelay}
 * @param jitter share by which a wait is varied at random either way, 0 to 1
 * @param maxAge how long a head may go on failing, counted from its first attempt; then {@link
 *     OnExhausted} decides
 */
public record RetryPolicy(
    int maxAttempts,
    Duration initialDelay,
    double multiplier,
    Duration maxDelay,
    double jitter,
    Duration maxAge) {}
