package dev.seriatim.delivery;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the DNS with a bound on the wait. The platform's resolver blocks for as long as it likes and
 * cannot be interrupted, so it runs on threads of its own, one lookup per name at a time; a name
 * that hangs costs one thread and nothing else. The platform caches answers.
 *
 * <p>Concurrency: thread-safe.
 */
final class NameLookups implements AutoCloseable {

  private static final int MAX_THREADS = 256;

  /** The resolver itself; blocks. */
  @FunctionalInterface
  interface Names {
    InetAddress[] addresses(String host) throws UnknownHostException;
  }

  private final Names names;
  private final ConcurrentMap<String, CompletableFuture<InetAddress[]>> underWay =
      new ConcurrentHashMap<>();
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          0,
          MAX_THREADS,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().daemon().name("seriatim-dns-", 0).factory());

  NameLookups(Names names) {
    this.names = names;
  }

  /**
   * Blocks until there is an answer, at most as long as given.
   *
   * @param host a name, or an address with or without brackets
   * @throws UnknownHostException when there is no such name, no answer in time, or the thread was
   *     interrupted (its flag is then set again)
   */
  InetAddress[] lookUp(String host, Duration atMost) throws UnknownHostException {
    try {
      return underWay
          .computeIfAbsent(host, this::start)
          .get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw unknown(host + ": no answer within " + atMost.toMillis() + " ms", e);
    } catch (RejectedExecutionException e) {
      throw unknown(host + ": too many names are being looked up", e);
    } catch (ExecutionException e) {
      throw unknown(host, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown(host + ": interrupted", e);
    }
  }

  private CompletableFuture<InetAddress[]> start(String host) {
    CompletableFuture<InetAddress[]> answer = new CompletableFuture<>();
    threads.execute(
        () -> {
          try {
            answer.complete(names.addresses(host));
          } catch (UnknownHostException | RuntimeException e) {
            answer.completeExceptionally(e);
          } finally {
            underWay.remove(host, answer);
          }
        });
    return answer;
  }

  private static UnknownHostException unknown(String message, Exception cause) {
    UnknownHostException unknown = new UnknownHostException(message);
    unknown.initCause(cause);
    return unknown;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
