package dev.seriatim.scenario;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Publishes to whichever pods there are, at a bounded rate, events of keys of which few are hot and
 * many are not (Zipf). Each producer has keys of its own, publishes one event after another, and
 * repeats what was not accepted with the same id, at the next pod, until it is. So the events of a
 * key are accepted in the order of their numbers.
 *
 * <p>Can be paused and goes on with the next numbers. Which keys come next depends on the seed
 * alone.
 */
final class Traffic implements AutoCloseable {

  /** An event that was answered 2xx. */
  record Accepted(String id, String type) {}

  private static final int PRODUCERS = 8;
  private static final int KEYS_EACH = 12;

  /** Events per second and producer, were each answered at once. */
  private static final int RATE = 18;

  /** A load balancer would wait no longer before it tries another pod. */
  private static final Duration PATIENCE = Duration.ofMillis(1500);

  /** For so long a load balancer sends nothing to a pod that has failed. */
  private static final long AVOIDED = Duration.ofSeconds(2).toNanos();

  private static final long BEFORE_REPEATING = Duration.ofMillis(50).toNanos();

  static final String EVENT =
      """
      {"id": "%s", "tenant": "%s", "type": "%s", "resource": "%s", "payload": {"n": %d}}""";

  private final String tenant;
  private final List<String> types;
  private final Supplier<List<PodProcess>> pods;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(PATIENCE).version(HttpClient.Version.HTTP_1_1).build();
  private final List<Producer> producers = new ArrayList<>();
  private final Queue<Accepted> accepted = new ConcurrentLinkedQueue<>();

  /** Until when, by the monotonic clock. */
  private final Map<PodProcess, Long> avoided = new ConcurrentHashMap<>();

  private ExecutorService threads;
  private List<Future<?>> running = List.of();

  /** No more events; what is under way is finished, since it may be stored already. */
  private volatile boolean pausing;

  /** The test is over, however it went. */
  private volatile boolean abandoned;

  /**
   * @param types each gets the same share of hot and cold keys
   * @param pods which of them there are, asked again for each try
   */
  Traffic(String tenant, List<String> types, Supplier<List<PodProcess>> pods, long seed) {
    this.tenant = tenant;
    this.types = types;
    this.pods = pods;
    SplittableRandom seeds = new SplittableRandom(seed);
    for (int number = 0; number < PRODUCERS; number++) {
      producers.add(new Producer(number, seeds.split()));
    }
  }

  void start() {
    pausing = false;
    accepted.clear();
    threads = Executors.newVirtualThreadPerTaskExecutor();
    running = producers.stream().<Future<?>>map(producer -> threads.submit(producer)).toList();
  }

  /**
   * Ends after the events under way.
   *
   * @return what was accepted since the start
   * @throws AssertionError when an event is accepted by no pod
   */
  List<Accepted> pause() {
    pausing = true;
    for (Future<?> producer : running) {
      try {
        producer.get(60, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        throw new AssertionError("An event is not accepted by any pod", e);
      } catch (Exception e) {
        throw new AssertionError("A producer failed", e);
      }
    }
    running = List.of();
    return List.copyOf(accepted);
  }

  @Override
  public void close() {
    abandoned = true;
    pausing = true;
    if (threads != null) {
      threads.shutdownNow();
    }
    http.shutdownNow();
  }

  /** One thread at a time; a pause hands it to the next. */
  private final class Producer implements Runnable {

    private final int number;
    private final SplittableRandom random;
    private final int[] published = new int[KEYS_EACH];
    private final double[] weights = new double[KEYS_EACH];
    private int tries;

    Producer(int number, SplittableRandom random) {
      this.number = number;
      this.random = random;
      this.tries = number;
      double sum = 0;
      for (int rank = 0; rank < KEYS_EACH; rank++) {
        sum += 1.0 / (rank + 1);
        weights[rank] = sum;
      }
    }

    @Override
    public void run() {
      long every = TimeUnit.SECONDS.toNanos(1) / RATE;
      while (!pausing) {
        LockSupport.parkNanos(every / 2 + random.nextLong(every));
        int rank = draw();
        String type = types.get((number + rank) % types.size());
        String key = "k%d-%d".formatted(number, rank);
        int next = ++published[rank];
        String id = key + "-" + next;
        String event = EVENT.formatted(id, tenant, type, key, next);
        while (!accepts(event)) {
          if (abandoned) {
            return;
          }
          LockSupport.parkNanos(BEFORE_REPEATING);
        }
        accepted.add(new Accepted(id, type));
      }
    }

    private int draw() {
      double point = random.nextDouble(weights[KEYS_EACH - 1]);
      int rank = 0;
      while (weights[rank] < point) {
        rank++;
      }
      return rank;
    }

    private boolean accepts(String event) {
      List<PodProcess> there = pods.get();
      if (there.isEmpty()) {
        return false;
      }
      PodProcess pod = there.get(tries++ % there.size());
      if (there.size() > 1 && avoided.getOrDefault(pod, 0L) - System.nanoTime() > 0) {
        pod = there.get(tries++ % there.size());
      }
      boolean accepted = accepts(pod, event);
      if (!accepted) {
        avoided.put(pod, System.nanoTime() + AVOIDED);
      }
      return accepted;
    }

    private boolean accepts(PodProcess pod, String event) {
      try {
        HttpResponse<String> answer =
            http.send(
                pod.request("/v1/events")
                    .timeout(PATIENCE)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(event))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 503 && answer.statusCode() / 100 != 2) {
          throw new AssertionError(answer.statusCode() + " " + answer.body());
        }
        return answer.statusCode() / 100 == 2;
      } catch (IOException unreachable) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
