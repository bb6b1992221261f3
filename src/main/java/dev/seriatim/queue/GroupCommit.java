package dev.seriatim.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Does one piece of work for all who are waiting: while one batch is under way the next one
 * gathers, so that a busy database sees few large transactions and an idle one is not waited for.
 *
 * <p>When a batch fails, it is done again item by item, so that one bad item fails alone; unless
 * the failure is an outage, which every item would meet again, or an {@link Error}.
 *
 * <p>Concurrency: any thread may submit; one committer thread runs the work. {@code waiting} is
 * guarded by {@code lock}. A crash loses what is waiting, whose submitters have had no answer.
 *
 * @param <I> what is submitted
 * @param <R> what each submitter gets
 */
final class GroupCommit<I, R> implements AutoCloseable {

  /** The work for a batch. */
  @FunctionalInterface
  interface Work<I, R> {
    /**
     * @return one result per item, in order
     */
    List<R> run(List<I> items);
  }

  private record Waiting<I, R>(I item, int weight, CompletableFuture<R> result) {}

  private final Work<I, R> work;
  private final int maxBatch;
  private final int maxWaiting;
  private final ToIntFunction<I> weigher;
  private final Predicate<RuntimeException> outage;
  private final ToLongFunction<Integer> gather;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private List<Waiting<I, R>> waiting = new ArrayList<>();

  @GuardedBy("lock")
  private int waitingWeight;

  @GuardedBy("lock")
  private boolean closed;

  private final Thread committer;

  /**
   * @param maxBatch most weight of one batch; a single item may weigh more
   * @param maxWaiting most weight that may wait
   * @param outage which failures every item would meet again
   * @param gather given the weight waiting, how many nanoseconds to wait for more before a batch
   *     starts; 0 for none
   */
  GroupCommit(
      String name,
      Work<I, R> work,
      ToIntFunction<I> weigher,
      int maxBatch,
      int maxWaiting,
      Predicate<RuntimeException> outage,
      ToLongFunction<Integer> gather) {
    this.work = work;
    this.weigher = weigher;
    this.maxBatch = maxBatch;
    this.maxWaiting = maxWaiting;
    this.outage = outage;
    this.gather = gather;
    this.committer = Thread.ofPlatform().name(name).start(this::commitWhileOpen);
  }

  /**
   * Puts an item into the next batch.
   *
   * @return completes once the item's batch is done, with its result or the failure
   * @throws TooManyWaitingException when too much is waiting already
   * @throws IllegalStateException after {@link #close}
   */
  CompletableFuture<R> submit(I item) {
    int weight = weigher.applyAsInt(item);
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("closed");
      }
      if (waitingWeight > 0 && waitingWeight + weight > maxWaiting) {
        throw new TooManyWaitingException(maxWaiting);
      }
      CompletableFuture<R> result = new CompletableFuture<>();
      waiting.add(new Waiting<>(item, weight, result));
      waitingWeight += weight;
      changed.signal();
      return result;
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more, finishes what is waiting, and blocks until it is done. */
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
      committer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void commitWhileOpen() {
    for (List<Waiting<I, R>> batch = take(); !batch.isEmpty(); batch = take()) {
      commit(batch);
    }
  }

  /** The next batch; empty when closed and nothing is left. */
  private List<Waiting<I, R>> take() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      long patience = gather.applyAsLong(waitingWeight);
      while (patience > 0 && !closed && waitingWeight < maxBatch) {
        patience = changed.awaitNanos(patience);
      }
      return cut();
    } catch (InterruptedException e) {
      closed = true;
      return cut();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private List<Waiting<I, R>> cut() {
    int weight = 0;
    int size = 0;
    while (size < waiting.size()
        && (size == 0 || weight + waiting.get(size).weight() <= maxBatch)) {
      weight += waiting.get(size).weight();
      size++;
    }
    List<Waiting<I, R>> batch = waiting;
    waiting = new ArrayList<>(batch.subList(size, batch.size()));
    waitingWeight -= weight;
    return size == batch.size() ? batch : batch.subList(0, size);
  }

  private void commit(List<Waiting<I, R>> batch) {
    Throwable failure = attempt(batch);
    if (failure == null) {
      return;
    }
    if (batch.size() == 1 || endsBatch(failure)) {
      fail(batch, failure);
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      List<Waiting<I, R>> one = batch.subList(i, i + 1);
      Throwable own = attempt(one);
      if (own != null && endsBatch(own)) {
        fail(batch.subList(i, batch.size()), own);
        return;
      }
      if (own != null) {
        fail(one, own);
      }
    }
  }

  /**
   * Runs the work and hands out its results.
   *
   * @return null, or why there are none. Errors too, such as too little memory for this batch: they
   *     are told to those whose batch it was. The committer must live on, or everybody after them
   *     would wait for ever.
   */
  private @Nullable Throwable attempt(List<Waiting<I, R>> batch) {
    try {
      List<R> results = work.run(batch.stream().map(Waiting::item).toList());
      if (results.size() != batch.size()) {
        throw new IllegalStateException(
            "%d results for %d items".formatted(results.size(), batch.size()));
      }
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).result().complete(results.get(i));
      }
      return null;
    } catch (RuntimeException | Error e) {
      return e;
    }
  }

  /** Whether to spare the items of a batch that are not done yet a try of their own. */
  private boolean endsBatch(Throwable failure) {
    return failure instanceof Error || (failure instanceof RuntimeException e && outage.test(e));
  }

  private static <I, R> void fail(List<Waiting<I, R>> batch, Throwable failure) {
    batch.forEach(one -> one.result().completeExceptionally(failure));
  }
}
