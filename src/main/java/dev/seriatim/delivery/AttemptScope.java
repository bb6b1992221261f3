package dev.seriatim.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Exchange;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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
  private final Map<Thread, Permit> senders = new HashMap<>();

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

  /** Ends what is under way, requests and recording. */
  void abort() {
    stopping = true;
    aborted.countDown();
    sendersLock.lock();
    try {
      for (Thread thread : threads) {
        if (!senders.containsKey(thread)) {
          thread.interrupt();
        }
      }
    } finally {
      sendersLock.unlock();
    }
    breakOff();
    endIfQuiet();
  }

  /**
   * Ends the requests under way, but not what has its answer and is being recorded. A request that
   * begins later must find the lease {@linkplain PartitionLease#outlives untrusted}. Any thread;
   * does not wait for connections that are slow to close.
   */
  void breakOff() {
    sendersLock.lock();
    try {
      senders.values().forEach(Permit::revoke);
      senders.forEach(
          (thread, permit) ->
              Thread.ofVirtual().name("break-off").start(() -> end(thread, permit)));
    } finally {
      sendersLock.unlock();
    }
  }

  private void end(Thread thread, Permit permit) {
    // The connection first: an interrupt would close it too, but leave to the kernel what of the
    // request is not sent yet, to arrive at any time.
    permit.end();
    sendersLock.lock();
    try {
      if (senders.get(thread) == permit) {
        thread.interrupt();
      }
    } finally {
      sendersLock.unlock();
    }
  }

  /** Runs a request on this thread in reach of {@link #breakOff}. */
  @Nullable Exchange sending(Request request) throws InterruptedException {
    Permit permit = new Permit(lease::trusted);
    enlist(permit);
    try {
      return request.send(permit);
    } finally {
      discharge();
    }
  }

  private void enlist(Permit permit) {
    sendersLock.lock();
    try {
      senders.put(Thread.currentThread(), permit);
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
    // An interrupt of breakOff that came too late for the request means nothing: it has its answer,
    // which is to be recorded. From here on there comes none; of an abort aborted() tells.
    var unused = Thread.interrupted();
    if (aborted()) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends, or finds that it must not. */
  @FunctionalInterface
  interface Request {
    @Nullable Exchange send(Permit permit) throws InterruptedException;
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
