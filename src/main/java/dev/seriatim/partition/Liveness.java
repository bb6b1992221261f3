package dev.seriatim.partition;

import java.time.Duration;

/**
 * Whether other pods can have taken this one for dead. They may once they have seen its {@link
 * OwnerLock} free on two looks a takeover grace apart. A statement that succeeds on the lock's
 * session proves that the lock was held after the statement began, so for three quarters of a grace
 * from there nobody can have acted; the last quarter is for ending what is under way.
 *
 * <p>Concurrency: the lease thread writes; {@code trustedUntil} and {@code guarded} are volatile
 * because senders read them. An old value only makes them more careful.
 */
final class Liveness {

  private final MonotonicClock clock;
  private final long trustedFor;

  /** False while no lock of this pod is known to others: then none of them looks for it. */
  private volatile boolean guarded;

  private volatile long trustedUntil;

  Liveness(MonotonicClock clock, Duration takeoverGrace) {
    this.clock = clock;
    this.trustedFor = takeoverGrace.toNanos() / 4 * 3;
    this.trustedUntil = clock.nanos();
  }

  /**
   * The session of this pod's lock, which the others know, was alive.
   *
   * @param contact nanoseconds, before the statement that showed it
   */
  void confirmed(long contact) {
    trustedUntil = contact + trustedFor;
    guarded = true;
  }

  /** The others know that this pod holds no lock: it lives as long as its leases. */
  void unguarded() {
    guarded = false;
  }

  /** Nobody can have taken this pod for dead. Any thread; never blocks. */
  boolean trusted() {
    return left() > 0;
  }

  /** Nanoseconds for which that certainly stays so. */
  long left() {
    return guarded ? trustedUntil - clock.nanos() : Long.MAX_VALUE;
  }
}
