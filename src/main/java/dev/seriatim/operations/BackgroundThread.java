package dev.seriatim.operations;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * A thread that works and rests in turns, from the start of the service to its stop. A stop ends
 * every rest and waits a second for the work that is under way, which the pool breaks off
 * afterwards.
 *
 * <p>Concurrency: {@code thread} belongs to the lifecycle's; a wake-up that comes during work is
 * remembered until the next rest.
 */
final class BackgroundThread {

  /** After the leases are given back, which must not wait for this; before the pool closes. */
  static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 16384;

  /**
   * All of these together leave most of what the platform gives for closing. Work that takes longer
   * changes nothing when it is broken off, and another pod does it.
   */
  private static final Duration LAST_WAIT = Duration.ofSeconds(1);

  private final String name;
  private final Duration first;
  private final Supplier<Duration> round;
  private final Semaphore woken = new Semaphore(0);
  // Written by the lifecycle's thread, read by this one.
  private volatile boolean stopping;
  private @Nullable Thread thread;

  /**
   * @param first how long to rest after the start
   * @param round some work, whose result is how long to rest afterwards; throws nothing
   */
  BackgroundThread(String name, Duration first, Supplier<Duration> round) {
    this.name = name;
    this.first = first;
    this.round = round;
  }

  void start() {
    Thread started = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    thread = started;
    started.start();
  }

  boolean isRunning() {
    return thread != null;
  }

  /** Blocks until the work that is under way is over, a second at most. */
  void stop() {
    Thread running = thread;
    if (running == null) {
      return;
    }
    stopping = true;
    wake();
    try {
      running.join(LAST_WAIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread = null;
  }

  /** Ends the rest, or leaves out the next one. Never blocks. */
  void wake() {
    woken.release();
  }

  /**
   * Rests, also in the middle of a round.
   *
   * @return whether it is to stop instead of working on
   */
  boolean stopsWithin(Duration rest) {
    if (stopping) {
      return true;
    }
    try {
      if (woken.tryAcquire(rest.toNanos(), TimeUnit.NANOSECONDS)) {
        woken.drainPermits();
      }
      return stopping;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void run() {
    Duration rest = first;
    while (!stopsWithin(rest)) {
      rest = round.get();
    }
  }
}
