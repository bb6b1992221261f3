package dev.seriatim.scenario;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Producers as they should be: each has one key, publishes one event after another, and repeats an
 * event that was not answered 2xx, somewhere else if it can, until it is.
 */
final class Producers implements AutoCloseable {

  private static final long BEFORE_REPEATING = Duration.ofMillis(20).toNanos();

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Future<?>> running = new ArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();

  /** No more events; what is under way is finished, since it may be stored already. */
  private volatile boolean stopping;

  /** The test is over, however it went. */
  private volatile boolean abandoned;

  /**
   * @param pods where a producer's n-th try goes
   */
  Producers(Scenario scenario, int count, IntFunction<TestService> pods) {
    for (int key = 0; key < count; key++) {
      String resource = "key" + key;
      running.add(threads.submit(() -> publish(scenario, resource, pods)));
    }
  }

  private void publish(Scenario scenario, String resource, IntFunction<TestService> pods) {
    int tries = resource.hashCode();
    for (int number = 1; !stopping; number++) {
      String event = scenario.event(resource + "-" + number, resource);
      while (!accepted(event, pods.apply(tries++))) {
        refused.incrementAndGet();
        if (abandoned) {
          return;
        }
        LockSupport.parkNanos(BEFORE_REPEATING);
      }
      accepted.incrementAndGet();
    }
  }

  private static boolean accepted(String event, TestService pod) {
    Answer answer;
    try {
      answer = pod.post("/v1/events", event);
    } catch (IllegalStateException unreachable) {
      return false;
    }
    if (answer.status() != 503 && answer.status() / 100 != 2) {
      throw new AssertionError(answer.status() + " " + answer.body());
    }
    return answer.status() / 100 == 2;
  }

  /** Waits until this many more have been accepted. */
  void awaitMore(int count) {
    int goal = accepted.get() + count;
    Patience.until(count + " more events accepted", () -> accepted.get() >= goal);
  }

  int refused() {
    return refused.get();
  }

  /** Ends after the events under way. @return how many events were accepted in all */
  int stop() throws Exception {
    stopping = true;
    for (Future<?> producer : running) {
      producer.get(60, TimeUnit.SECONDS);
    }
    return accepted.get();
  }

  @Override
  public void close() {
    abandoned = true;
    stopping = true;
    threads.shutdownNow();
  }
}
