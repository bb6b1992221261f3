package dev.seriatim.partition;

import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the {@link LeaseKeeper} on a thread and a connection of its own, so that neither a full pool
 * nor busy senders can delay a renewal. A lost connection is replaced at once; a failing database
 * is tried again several times a second. Leases meanwhile run out by themselves, and what is under
 * way is ended when others may take this pod for dead.
 *
 * <p>Stopping: after the web server (no new events), drainers finish what is under way while
 * renewal goes on, then the partitions are given back. What is not finished within the drain of
 * {@link ShutdownSettings} is aborted.
 *
 * <p>Concurrency: the keeper and the session belong to the lease thread; other threads only put a
 * word into {@code signals}, which ends its wait.
 */
final class LeaseScheduler implements SmartLifecycle, FreePartitions {

  private static final Logger log = LoggerFactory.getLogger(LeaseScheduler.class);
  private static final Duration RETRY = Duration.ofMillis(200);

  private enum Signal {
    LOOK,
    STOP
  }

  private final LeaseKeeper keeper;
  private final LeaseSessions sessions;
  private final LeaseSettings settings;
  private final Duration drain;
  private final MonotonicClock clock;
  private final LapseWatch lapse;
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private @Nullable LeaseSession session;
  private long nextRenewal;
  private boolean failing;

  /**
   * Written by the lifecycle's thread only. Volatile: the lease thread and health checks look at
   * it.
   */
  private volatile @Nullable Thread thread;

  /**
   * @param drain how long a stop lets deliveries under way go on
   */
  LeaseScheduler(
      LeaseKeeper keeper,
      LeaseSessions sessions,
      LeaseSettings settings,
      Duration drain,
      MonotonicClock clock) {
    this.keeper = keeper;
    this.sessions = sessions;
    this.settings = settings;
    this.drain = drain;
    this.clock = clock;
    this.lapse = new LapseWatch(keeper.liveness(), keeper::suspend);
    keeper.onReleased(this::look);
  }

  @Override
  public void start() {
    Thread started = Thread.ofPlatform().name("leases").unstarted(this::run);
    thread = started;
    started.start();
  }

  @Override
  public boolean isRunning() {
    return thread != null;
  }

  /** Blocks until the partitions are given back, or the drain is over. */
  @Override
  public void stop() {
    Thread running = thread;
    if (running == null) {
      return;
    }
    signals.add(Signal.STOP);
    try {
      running.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread = null;
  }

  /**
   * Below the web server's phases: it stops after no more requests come in, and before the pools
   * close.
   */
  @Override
  public int getPhase() {
    return SmartLifecycle.DEFAULT_PHASE - 8192;
  }

  @Override
  public void onFreed(Runnable listener) {
    keeper.onFreed(listener);
  }

  @Override
  public void look() {
    signals.add(Signal.LOOK);
  }

  private void run() {
    boolean stopping = false;
    while (!stopping) {
      try {
        attempt(this::turn);
        stopping = await(failing ? RETRY : untilNextTurn()) == Signal.STOP;
      } catch (RuntimeException | Error e) {
        // Even telling of a failure failed, as it may without memory. The thread must go on.
        failing = true;
      }
    }
    release();
  }

  private void turn(LeaseSession open) throws SQLException {
    if (clock.nanos() - nextRenewal >= 0) {
      renewed(keeper::renew, open);
    }
    keeper.sweep(open);
  }

  private void drainingTurn(LeaseSession open) throws SQLException {
    keeper.giveBack(open);
    keeper.renew(open); // each time, since that the session lives must have been seen
  }

  private void renewed(Step step, LeaseSession open) throws SQLException {
    long now = clock.nanos();
    step.run(open);
    nextRenewal = now + settings.renewEvery().toNanos();
  }

  private Duration untilNextTurn() {
    long now = clock.nanos();
    long nanos = Math.min(settings.sweepEvery().toNanos(), nextRenewal - now);
    OptionalLong look = keeper.nextLook();
    return Duration.ofNanos(look.isPresent() ? Math.min(nanos, look.getAsLong() - now) : nanos);
  }

  private void release() {
    long deadline = clock.nanos() + drain.toNanos();
    CompletableFuture<Void> drained = keeper.releaseAll().whenComplete((done, failure) -> look());
    attempt(keeper::renew); // now the others know that they have to take over
    while (!drained.isDone() && deadline - clock.nanos() > 0) {
      await(RETRY);
      attempt(this::drainingTurn);
    }
    attempt(this::drainingTurn);
    if (!keeper.held().isEmpty()) {
      log.warn(
          "{} partitions were not drained and given back within seriatim.shutdown.drain ({}); they are free when their leases run out",
          keeper.held().size(),
          drain);
      keeper.abandon();
    }
    attempt(keeper::leave);
    disconnect();
    lapse.replaced();
  }

  private @Nullable Signal await(Duration atMost) {
    try {
      Signal signal = signals.poll(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
      // One look serves all who asked for one.
      signals.removeIf(other -> other == Signal.LOOK);
      return signal;
    } catch (InterruptedException e) {
      return Signal.STOP;
    }
  }

  /** A session that was lost since the last step is replaced at once, and the step tried again. */
  private void attempt(Step step) {
    boolean fresh = session == null;
    if (!attemptOnce(step) && !fresh) {
      attemptOnce(step);
    }
  }

  private boolean attemptOnce(Step step) {
    try {
      long contact = clock.nanos();
      LeaseSession open = session;
      if (open == null) {
        open = sessions.open();
        session = open;
        contact = clock.nanos();
        // Before anything else: others must know the new lock, and this pod what it has lost.
        renewed(keeper::resume, open);
        confirm(open, contact);
      }
      step.run(open);
      confirm(open, contact);
      return true;
    } catch (SQLException e) {
      if (lose()) {
        log.warn("The database does not answer the lease thread; trying again: {}", e.toString());
      }
      return false;
    } catch (RuntimeException | Error e) {
      // Whatever went wrong with one partition, the leases of the others must be renewed.
      lose();
      log.error("The lease thread stumbled; it goes on", e);
      return false;
    }
  }

  private void confirm(LeaseSession open, long contact) {
    if (open.lock() == null) {
      keeper.liveness().unguarded();
    } else {
      keeper.liveness().confirmed(contact);
    }
    lapse.replaced();
    if (failing) {
      log.info("The database answers the lease thread again");
      failing = false;
    }
  }

  /**
   * First of all the watch: the rest may take its time.
   *
   * @return whether it was well until now
   */
  private boolean lose() {
    lapse.lost();
    boolean wasWell = !failing;
    failing = true;
    disconnect();
    return wasWell;
  }

  private void disconnect() {
    LeaseSession open = session;
    session = null;
    if (open != null) {
      try {
        open.connection().close();
      } catch (SQLException | RuntimeException e) {
        log.debug("Closing the lease connection failed; it is gone either way", e);
      }
    }
  }

  /** Runs a statement at least: that it succeeds counts as a sign of life of the session. */
  @FunctionalInterface
  private interface Step {
    void run(LeaseSession session) throws SQLException;
  }
}
