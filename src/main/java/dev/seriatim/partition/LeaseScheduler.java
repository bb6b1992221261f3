package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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
 * nor busy senders can delay a renewal. A failing database is tried again every half second; leases
 * meanwhile run out by themselves.
 *
 * <p>Stopping: after the web server (no new events), drainers finish what is under way while
 * renewal goes on, then the partitions are given back. What is not finished within {@code
 * release-timeout} is aborted.
 *
 * <p>Concurrency: the keeper and the connection belong to the lease thread; other threads only put
 * a word into {@code signals}, which ends its wait.
 */
final class LeaseScheduler implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(LeaseScheduler.class);
  private static final Duration RETRY = Duration.ofMillis(500);

  private enum Signal {
    LOOK,
    STOP
  }

  private final LeaseKeeper keeper;
  private final LeaseConnections connections;
  private final LeaseSettings settings;
  private final MonotonicClock clock;
  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private @Nullable Connection connection;
  private boolean failing;

  /**
   * Written by the lifecycle's thread only. Volatile: the lease thread and health checks look at
   * it.
   */
  private volatile @Nullable Thread thread;

  LeaseScheduler(
      LeaseKeeper keeper,
      LeaseConnections connections,
      LeaseSettings settings,
      MonotonicClock clock) {
    this.keeper = keeper;
    this.connections = connections;
    this.settings = settings;
    this.clock = clock;
    keeper.onReleased(() -> signals.add(Signal.LOOK));
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

  /** Blocks until the partitions are given back, or release-timeout is over. */
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

  private void run() {
    boolean stopping = false;
    long nextRenewal = clock.nanos();
    while (!stopping) {
      long now = clock.nanos();
      // After any failure renewal comes first: it is what must not be late.
      if ((failing || now - nextRenewal >= 0) && attempt(keeper::renew)) {
        nextRenewal = now + settings.renewEvery().toNanos();
      }
      if (!failing) {
        attempt(keeper::sweep);
      }
      stopping = await(failing ? RETRY : settings.sweepEvery()) == Signal.STOP;
    }
    release(nextRenewal);
  }

  private void release(long firstRenewal) {
    long nextRenewal = firstRenewal;
    long deadline = clock.nanos() + settings.releaseTimeout().toNanos();
    CompletableFuture<Void> drained =
        keeper.releaseAll().whenComplete((done, failure) -> signals.add(Signal.LOOK));
    while (!drained.isDone() && deadline - clock.nanos() > 0) {
      await(Duration.ofMillis(200));
      attempt(keeper::giveBack);
      if (clock.nanos() - nextRenewal >= 0) {
        nextRenewal = clock.nanos() + settings.renewEvery().toNanos();
        attempt(keeper::renew);
      }
    }
    attempt(keeper::giveBack);
    if (!keeper.held().isEmpty()) {
      log.warn(
          "{} partitions were not drained within seriatim.lease.release-timeout ({}); they are free when their leases run out",
          keeper.held().size(),
          settings.releaseTimeout());
      keeper.abandon();
    }
    attempt(keeper::leave);
    disconnect();
  }

  private @Nullable Signal await(Duration atMost) {
    try {
      return signals.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return Signal.STOP;
    }
  }

  private boolean attempt(Step step) {
    try {
      Connection open = connection;
      if (open == null) {
        open = connections.open();
        connection = open;
      }
      step.run(open);
      if (failing) {
        log.info("The database answers the lease thread again");
        failing = false;
      }
      return true;
    } catch (SQLException e) {
      if (!failing) {
        log.warn("The database does not answer the lease thread; trying again: {}", e.toString());
        failing = true;
      }
      disconnect();
      return false;
    } catch (RuntimeException | Error e) {
      // Whatever went wrong with one partition, the leases of the others must be renewed.
      log.error("The lease thread stumbled; it goes on", e);
      disconnect();
      return false;
    }
  }

  private void disconnect() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        log.debug("Closing the lease connection failed; it is gone either way", e);
      }
    }
  }

  @FunctionalInterface
  private interface Step {
    void run(Connection connection) throws SQLException;
  }
}
