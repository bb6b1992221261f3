package dev.seriatim.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.partition.ConnectionSource;
import dev.seriatim.partition.FreePartitions;
import dev.seriatim.partition.OwnConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Hears the wake-ups of other pods and what partitions they give back, on a thread and a connection
 * of its own, which it opens again whenever it breaks. Nobody repeats what was said meanwhile: each
 * time it begins to listen, it wakes all that this pod drains.
 *
 * <p>A connection that has been silent for ten seconds is asked whether it still lives, so a peer
 * that went without a word is noticed some five seconds later.
 *
 * <p>Behind a transaction pooler nothing would ever be heard: then it says so, stops listening and
 * sending, and polling is left to do it alone.
 *
 * <p>Concurrency: the listening belongs to one daemon thread; {@code thread} and {@code connection}
 * are guarded by {@code lock}, so that a stop finds the connection to abort.
 */
final class WakeUpListener implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(WakeUpListener.class);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_WAIT = Duration.ofSeconds(1);

  private static final String LISTEN = "listen " + WakeUpChannel.NAME;

  private final ConnectionSource connections;
  private final WakeUps wakeUps;
  private final WakeUpSender sender;
  private final FreePartitions freePartitions;
  private final int partitions;
  private final Duration silence;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Null when stopped. A thread that finds another here was stopped, too. */
  @GuardedBy("lock")
  private @Nullable Thread thread;

  @GuardedBy("lock")
  private @Nullable Connection connection;

  /** Of the listening thread's own. */
  private boolean failing;

  /**
   * @param partitions how many there are
   * @param silence after how long without a word the connection is asked whether it lives
   */
  WakeUpListener(
      ConnectionSource connections,
      WakeUps wakeUps,
      WakeUpSender sender,
      FreePartitions freePartitions,
      int partitions,
      Duration silence) {
    this.connections = connections;
    this.wakeUps = wakeUps;
    this.sender = sender;
    this.freePartitions = freePartitions;
    this.partitions = partitions;
    this.silence = silence;
  }

  @Override
  public void start() {
    lock.lock();
    try {
      thread =
          Thread.ofPlatform().name("wake-up-listener").daemon().start(this::listenWhileRunning);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isRunning() {
    lock.lock();
    try {
      return thread != null;
    } finally {
      lock.unlock();
    }
  }

  /** Tears the connection, which ends the thread's wait, and waits a second at most for its end. */
  @Override
  public void stop() {
    Thread stopped = end();
    if (stopped == null) {
      return;
    }
    try {
      stopped.join(LAST_WAIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable Thread end() {
    lock.lock();
    try {
      Thread stopped = thread;
      thread = null;
      changed.signalAll();
      if (connection != null) {
        connection.abort(Runnable::run);
      }
      return stopped;
    } catch (SQLException e) {
      log.warn("The wake-up connection cannot be aborted; it ends by itself", e);
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Just below the leases: it listens before there is anything to drain, and to the end. */
  @Override
  public int getPhase() {
    return SmartLifecycle.DEFAULT_PHASE - 8193;
  }

  private void listenWhileRunning() {
    do {
      try {
        connectAndListen();
        return;
      } catch (SQLException e) {
        failed(e);
      } catch (RuntimeException | Error e) {
        log.error("The wake-up listener stumbled; it goes on", e);
      }
    } while (pause());
  }

  /**
   * Returns when it was stopped, or when nothing is ever to be heard here.
   *
   * @throws SQLException when the connection breaks
   */
  private void connectAndListen() throws SQLException {
    try (Connection opened = connections.open()) {
      if (!use(opened)) {
        return;
      }
      if (OwnConnections.pooled(opened)) {
        log.info(
            "Wake-ups between pods are off, because there is a connection pooler before the database, behind which LISTEN hears nothing: what other pods publish is found by polling alone (seriatim.drain.poll-every)");
        sender.close();
      } else {
        listen(opened, opened.unwrap(PGConnection.class));
      }
    }
  }

  private void listen(Connection opened, PGConnection session) throws SQLException {
    execute(opened, LISTEN);
    if (failing) {
      log.info("The wake-up listener has its connection again");
      failing = false;
    }
    for (int partition = 0; partition < partitions; partition++) {
      wakeUps.wakeHere(partition);
    }
    while (goesOn()) {
      PGNotification[] heard = session.getNotifications(Math.toIntExact(silence.toMillis()));
      if (heard == null || heard.length == 0) {
        execute(opened, ""); // the shortest question that must be answered
        continue;
      }
      for (PGNotification notification : heard) {
        WakeUpPayload.read(notification.getParameter()).forEach(this::hear);
      }
    }
  }

  private void hear(int partition) {
    switch (partition) {
      case WakeUpPayload.FREE -> freePartitions.look();
      case WakeUpPayload.CHANGED -> wakeUps.changedHere();
      default -> wakeUps.wakeHere(partition);
    }
  }

  private static void execute(Connection opened, String sql) throws SQLException {
    try (Statement statement = opened.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Makes the connection known to a stop. @return false when the stop has come already */
  private boolean use(Connection opened) {
    lock.lock();
    try {
      boolean goesOn = goesOn();
      if (goesOn) {
        connection = opened;
      }
      return goesOn;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the current thread has not been stopped. */
  private boolean goesOn() {
    lock.lock();
    try {
      return thread == Thread.currentThread();
    } finally {
      lock.unlock();
    }
  }

  private void failed(SQLException e) {
    if (!failing && goesOn()) {
      log.warn(
          "The wake-up listener has no connection to the database; trying again, meanwhile new events of other pods are found by polling: {}",
          e.toString());
      failing = true;
    }
  }

  /**
   * @return false when it was stopped
   */
  private boolean pause() {
    lock.lock();
    try {
      long left = RETRY.toNanos();
      while (goesOn() && left > 0) {
        left = changed.awaitNanos(left);
      }
      return goesOn();
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }
}
