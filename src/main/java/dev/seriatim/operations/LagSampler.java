package dev.seriatim.operations;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.WorkerName;
import dev.seriatim.queue.MetricsSettings;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.stereotype.Component;

/**
 * Samples the queue of the whole cluster once per interval; whoever asks gets the last sample. Each
 * pod looks for itself, with one cheap statement. What grows with the queue is counted by one of
 * them for all, the {@linkplain Reporters reporter of the cluster}, and so seldom that it takes a
 * hundredth of the time at most. A crash loses nothing but a sample.
 *
 * <p>Concurrency: one thread samples; {@link #sample} does so itself only before the first sample.
 * All are serialised by {@code turn}; {@code last} can be read meanwhile.
 */
@Component
class LagSampler implements BackgroundWork {

  private static final Logger log = LoggerFactory.getLogger(LagSampler.class);

  /** How many times as long as some work took is rested afterwards. */
  private static final int REST = 99;

  /** However long a sample takes: a stuck head must show. */
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);

  private record Dated(PartitionLag lag, long at) {}

  private final LagQuery query;
  private final QueueCounts counts;
  private final LagMeters meters;
  private final WorkerName self;
  private final MonotonicClock clock;
  private final Duration every;
  private final BackgroundThread thread;
  private final ReentrantLock turn = new ReentrantLock();

  /** Volatile: read by whoever looks, written by whose turn it is. */
  private volatile @Nullable Dated last;

  /** When the next one should be there; volatile like {@code last}. */
  private volatile long due;

  @GuardedBy("turn")
  private long countDue;

  /** How long the last look took; 0 before the first, which finds everything cold. */
  @GuardedBy("turn")
  private Duration lookTook = Duration.ZERO;

  private boolean failing;

  LagSampler(
      LagQuery query,
      QueueCounts counts,
      LagMeters meters,
      WorkerName self,
      MonotonicClock clock,
      MetricsSettings settings) {
    this.query = query;
    this.counts = counts;
    this.meters = meters;
    this.self = self;
    this.clock = clock;
    this.every = settings.sampleEvery();
    this.countDue = clock.nanos();
    this.due = clock.nanos();
    this.thread = new BackgroundThread("sampler", Duration.ZERO, this::round);
    meters.watchAge(this, LagSampler::ageSeconds);
  }

  @Override
  public BackgroundThread thread() {
    return thread;
  }

  /**
   * The last sample, from an interval or two ago; older while the database is away. Blocks only
   * before the first one.
   *
   * @throws org.springframework.dao.DataAccessException before the first one, when the database is
   *     away
   */
  PartitionLag sample() {
    Dated known = last;
    return known == null ? first() : known.lag();
  }

  private PartitionLag first() {
    turn.lock();
    try {
      Dated known = last;
      return known == null ? look() : known.lag();
    } finally {
      turn.unlock();
    }
  }

  /** Seconds since the last sample; empty before the first one. */
  OptionalDouble age() {
    Dated known = last;
    return known == null
        ? OptionalDouble.empty()
        : OptionalDouble.of((clock.nanos() - known.at()) / (double) TimeUnit.SECONDS.toNanos(1));
  }

  /** For how long there should have been another sample; negative before that. */
  Duration late() {
    return Duration.ofNanos(clock.nanos() - due);
  }

  private double ageSeconds() {
    return age().orElse(Double.NaN);
  }

  /**
   * Counts if that is due and this pod's to do, and samples.
   *
   * @return how long to rest afterwards
   */
  Duration round() {
    long began = clock.nanos();
    turn.lock();
    try {
      Dated known = last;
      if (known == null) {
        // Whether the count is this pod's shows only now.
        look();
        return Duration.ZERO;
      }
      count(known.lag());
      long looked = clock.nanos();
      look();
      failing = false;
      Duration took = Duration.ofNanos(clock.nanos() - looked);
      // A single slow look says more of a busy moment than of the queue.
      Duration rest = rest(took.compareTo(lookTook) < 0 ? took : lookTook);
      lookTook = took;
      due = clock.nanos() + rest.toNanos();
      return rest;
    } catch (RuntimeException | Error e) {
      // An Error as well: nothing would ever be sampled again.
      if (!failing) {
        // Not the whole statement.
        log.warn(
            "The queue cannot be sampled; trying again: {}",
            NestedExceptionUtils.getMostSpecificCause(e).toString());
      }
      failing = true;
      return rest(Duration.ofNanos(clock.nanos() - began));
    } finally {
      turn.unlock();
    }
  }

  private Duration rest(Duration took) {
    Duration rest = took.multipliedBy(REST);
    Duration bounded = rest.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : rest;
    return bounded.compareTo(every) > 0 ? bounded : every;
  }

  @GuardedBy("turn")
  private void count(PartitionLag lag) {
    long began = clock.nanos();
    if (countDue - began > 0 || !Reporters.ofCluster(lag, self.value())) {
      return;
    }
    try {
      counts.count();
    } finally {
      // After a failure as well: it may have failed because it takes too long.
      Duration took = Duration.ofNanos(clock.nanos() - began);
      meters.counted(took);
      countDue = began + took.multipliedBy(REST + 1L).toNanos();
    }
  }

  @GuardedBy("turn")
  private PartitionLag look() {
    long began = clock.nanos();
    PartitionLag lag = query.sample();
    long now = clock.nanos();
    last = new Dated(lag, now);
    meters.sampled(lag, Duration.ofNanos(now - began));
    return lag;
  }
}
