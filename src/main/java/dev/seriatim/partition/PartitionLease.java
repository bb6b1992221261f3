package dev.seriatim.partition;

import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * The right to act on one partition, for a while. Whoever drains a partition or writes to its queue
 * must hold one: every such write names {@link #partition} and {@link #epoch}, and finds nothing
 * once the partition has been acquired anew.
 *
 * <p>Concurrency: immutable but for {@code trustedUntil}, which only the lease scheduler moves,
 * forwards, after a renewal that the database confirmed. It is volatile because senders read it on
 * their own threads; reading a value that is one renewal old only makes them more careful.
 */
public final class PartitionLease {

  private final int partition;
  private final long epoch;
  private final UUID owner;
  private final MonotonicClock clock;
  private final BooleanSupplier alive;
  private volatile long trustedUntil;

  /**
   * @param epoch grows by one with every acquisition of the partition, by whomever
   * @param owner fresh for every acquisition
   * @param trustedUntil nanoseconds of {@code clock}
   */
  public PartitionLease(
      int partition, long epoch, UUID owner, MonotonicClock clock, long trustedUntil) {
    this(partition, epoch, owner, clock, trustedUntil, () -> true);
  }

  /**
   * @param alive whether certainly nobody has taken the owner for dead; any thread asks
   */
  PartitionLease(
      int partition,
      long epoch,
      UUID owner,
      MonotonicClock clock,
      long trustedUntil,
      BooleanSupplier alive) {
    this.partition = partition;
    this.epoch = epoch;
    this.owner = owner;
    this.clock = clock;
    this.trustedUntil = trustedUntil;
    this.alive = alive;
  }

  public int partition() {
    return partition;
  }

  public long epoch() {
    return epoch;
  }

  UUID owner() {
    return owner;
  }

  /**
   * Whether the lease certainly lasts for this long from now on, unless others take this pod for
   * dead, which {@link Ownership#suspended} tells in time. A send may start only if it outlives the
   * send's total deadline, so that no request is under way when another pod may own the partition.
   * Never blocks.
   */
  public boolean outlives(Duration duration) {
    return left() > duration.toNanos() && alive.getAsBoolean();
  }

  /**
   * Whether the partition certainly is still this owner's. What is under way asks before each step
   * that a paused process must not take late. Never blocks.
   */
  public boolean trusted() {
    return outlives(Duration.ZERO);
  }

  /** Nanoseconds until the lease may run out; negative when it may have. */
  long left() {
    return trustedUntil - clock.nanos();
  }

  void trustUntil(long nanos) {
    trustedUntil = nanos;
  }

  @Override
  public String toString() {
    return "partition " + partition + " epoch " + epoch;
  }
}
