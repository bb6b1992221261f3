package dev.seriatim.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Exchange;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What the attempts of one drainer share: the lease they act under, and how they are told to end.
 *
 * <p>Concurrency: {@code stopping} goes from false to true once, on the lease thread or the
 * drainer's; an attempt that misses it sends one request more, which a stop waits for.
 */
final class AttemptScope {

  private final PartitionLease lease;
  private final CountDownLatch aborted = new CountDownLatch(1);
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final ReentrantLock sendersLock = new ReentrantLock();

  /** Attempts whose request may be under way; what they do before and after is not to be ended. */
  @GuardedBy("sendersLock")
  private final Set<Thread> senders = new HashSet<>();

  private final CompletableFuture<Void> quiet = new CompletableFuture<>();

  /** Volatile: set by the drainer, read by each attempt before it sends. */
  private volatile boolean stopping;

  AttemptScope(PartitionLease lease) {
    this.lease = lease;
  }

  PartitionLease lease() {
    return lease;
  }

  /** Attempts that have not sent yet do not start to. */
  void stop() {
    stopping = true;
  }

  boolean stopping() {
    return stopping;
  }

  /** Interrupts what is under way. */
  void abort() {
    stopping = true;
    aborted.countDown();
    threads.forEach(Thread::interrupt);
    endIfQuiet();
  }

  /**
   * Interrupts the requests under way, but not what has its answer and is being recorded. A request
   * that begins later must find the lease {@linkplain PartitionLease#outlives untrusted}. Any
   * thread.
   */
  void breakOff() {
    sendersLock.lock();
    try {
      senders.forEach(Thread::interrupt);
    } finally {
      sendersLock.unlock();
    }
  }

  /** Runs a request on this thread in reach of {@link #breakOff}. */
  @Nullable Exchange sending(Request request) throws InterruptedException {
    enlist();
    try {
      return request.send();
    } finally {
      discharge();
    }
  }

  private void enlist() {
    sendersLock.lock();
    try {
      senders.add(Thread.currentThread());
    } finally {
      sendersLock.unlock();
    }
  }

  private void discharge() {
    sendersLock.lock();
    try {
      senders.remove(Thread.currentThread());
    } finally {
      sendersLock.unlock();
    }
    // An interrupt of breakOff that came too late for the request: it has its answer, which is to
    // be recorded. From here on there comes none.
    if (Thread.interrupted() && aborted()) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends, or finds that it must not. */
  @FunctionalInterface
  interface Request {
    @Nullable Exchange send() throws InterruptedException;
  }

  boolean aborted() {
    return aborted.getCount() == 0;
  }

  /** Completes after {@link #abort}, once nothing is under way any more. */
  CompletableFuture<Void> quiet() {
    return quiet;
  }

  /** Waits, or returns true at once when aborted. */
  boolean abortedWithin(Duration wait) throws InterruptedException {
    return aborted.await(wait.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Runs an attempt on this thread in reach of {@link #abort}. */
  void run(Runnable attempt) {
    Thread self = Thread.currentThread();
    threads.add(self);
    try {
      if (aborted()) {
        self.interrupt();
      }
      attempt.run();
    } finally {
      threads.remove(self);
      endIfQuiet();
    }
  }

  private void endIfQuiet() {
    if (aborted() && threads.isEmpty()) {
      quiet.complete(null);
    }
  }
}
