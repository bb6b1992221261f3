package dev.seriatim.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other pods of partitions with something new, without anybody waiting for it: while one
 * notification is under way, the partitions of the next one gather. What fails is lost, because
 * owners look by themselves as well.
 *
 * <p>Concurrency: any thread may send; one daemon thread tells. {@code waiting} is guarded by
 * {@code lock} and holds each partition once at most.
 */
final class WakeUpSender implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WakeUpSender.class);

  /** A hint is not worth a longer wait at the end. */
  private static final Duration LAST_WAIT = Duration.ofSeconds(1);

  private final Consumer<Set<Integer>> channel;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private Set<Integer> waiting = new TreeSet<>();

  @GuardedBy("lock")
  private boolean closed;

  private final Thread teller;

  /** Of the teller's own. */
  private boolean failing;

  /**
   * @param channel tells the other pods; may block and fail
   */
  WakeUpSender(Consumer<Set<Integer>> channel) {
    this.channel = channel;
    this.teller = Thread.ofPlatform().name("wake-up-sender").daemon().start(this::tellWhileOpen);
  }

  /** Puts partitions into the next notification. Never blocks; does nothing once closed. */
  void send(Collection<Integer> partitions) {
    lock.lock();
    try {
      if (!closed) {
        waiting.addAll(partitions);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more, and tells what is waiting if that takes no longer than a second. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    try {
      teller.join(LAST_WAIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tellWhileOpen() {
    for (Set<Integer> next = take(); !next.isEmpty(); next = take()) {
      tell(next);
    }
  }

  /** What has gathered; empty when closed and nothing is left. */
  private Set<Integer> take() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      Set<Integer> taken = waiting;
      waiting = new TreeSet<>();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void tell(Set<Integer> partitions) {
    try {
      channel.accept(partitions);
      failing = false;
    } catch (RuntimeException | Error e) {
      // An Error as well: nobody would tell the next ones.
      if (!failing) {
        log.warn(
            "Other pods cannot be told of new events and have to find them by polling; trying again with the next: {}",
            e.toString());
        failing = true;
      }
    }
  }
}
