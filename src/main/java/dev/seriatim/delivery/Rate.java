package dev.seriatim.delivery;

import dev.seriatim.subscription.RateLimit;

/**
 * A token bucket that is one number: the generic cell rate algorithm (ITU-T I.371). Each request
 * moves the time at which the bucket would be full again; it may go while that is not further ahead
 * than a burst allows. No thread-safety: the drainer's.
 */
final class Rate {

  private final long interval;
  private final long tolerance;
  private long fullAt;

  /**
   * The bucket begins with one token, because a former owner may just have used the others.
   *
   * @param since when it began, in nanoseconds of the clock that {@code now} is read from
   */
  Rate(RateLimit limit, long since) {
    // Rounded up: rather a nanosecond late than one request too many.
    this.interval = Math.ceilDiv(limit.per().toNanos(), limit.limit());
    this.tolerance = interval * (limit.burst() - 1);
    this.fullAt = since + tolerance;
  }

  /** When the next request may go; not after {@code now} if it may go now. */
  long nextAt(long now) {
    return Math.max(fullAt - tolerance - now, 0) + now;
  }

  /** A request goes. */
  void take(long now) {
    fullAt = now + Math.max(fullAt - now, 0) + interval;
  }

  /** A request that was taken into account did not go out. */
  void giveBack() {
    fullAt -= interval;
  }
}
