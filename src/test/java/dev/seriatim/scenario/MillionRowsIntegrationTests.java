package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.seriatim.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/**
 * A million queued deliveries of one lane, whose receiver takes its time: they neither fill the
 * memory of the pod that owns them nor hide the other lanes of the same endpoint, which share their
 * partition.
 */
class MillionRowsIntegrationTests {

  private static final int MILLION = 1_000_000;
  private static final int OTHERS = 100;
  private static final String HOT = "hot";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final Executor TWENTY_MILLIS_LATER =
      CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(2));
  private final CountDownLatch hotLaneMoves = new CountDownLatch(50);
  private final Map<String, CountDownLatch> arrivals = new ConcurrentHashMap<>();
  private HttpServer receiver;
  private int partition;

  @BeforeEach
  void startReceiver() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/", this::receive);
    receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
    database.close();
  }

  private void receive(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    String key = exchange.getRequestHeaders().getFirst("seriatim-key");
    if (key.equals(HOT)) {
      hotLaneMoves.countDown();
      TWENTY_MILLIS_LATER.execute(() -> answer(exchange));
    } else {
      arrivals.get(key).countDown();
      answer(exchange);
    }
  }

  private static void answer(HttpExchange exchange) {
    try {
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void millionRowsOfOneLaneDoNotDelayTheOthers() throws Exception {
    Duration before;
    Duration reading;
    Duration beside;
    long heap;
    try (PodProcess pod = PodProcess.start(database, "512m")) {
      pod.post(
          "/v1/subscriptions",
          """
          {"id": "orders", "tenant": "acme", "url": "http://127.0.0.1:%d/", "ordering": "RESOURCE"}
          """
              .formatted(receiver.getAddress().getPort()));
      deliverOthers(pod, "warm-up");
      before = deliverOthers(pod, "before");

      queueMillion();
      await(hotLaneMoves, "the hot lane", pod);
      // The owner may still be on its way through the new rows, then it has passed them.
      reading = deliverOthers(pod, "reading");
      beside = deliverOthers(pod, "beside");

      heap = pod.heapMegabytes();
      assertThat(pod.alive()).isTrue();
    }
    Duration behind;
    try (PodProcess successor = PodProcess.start(database, "512m")) {
      // A new owner starts with the first row of the partition; these stand behind the million.
      behind = deliverOthers(successor, "behind");

      heap = Math.max(heap, successor.heapMegabytes());
      assertThat(successor.alive()).isTrue();
      assertThat(queued()).isGreaterThan(MILLION * 9L / 10);
    }
    System.out.printf(
        "%d deliveries of other lanes took %d ms with an empty queue, %d ms while a million rows of one lane were read, %d ms beside them, %d ms behind them with a new owner; heap of at most 512 MB, last seen at %d MB%n",
        OTHERS, before.toMillis(), reading.toMillis(), beside.toMillis(), behind.toMillis(), heap);
  }

  /** One event for each of a hundred new keys: how long until all have arrived. */
  private Duration deliverOthers(PodProcess pod, String round) throws Exception {
    StringBuilder batch = new StringBuilder("[");
    for (int n = 0; n < OTHERS; n++) {
      String key = round + n;
      arrivals.put(key, new CountDownLatch(1));
      batch
          .append(n == 0 ? "" : ",")
          .append(
              """
              {"tenant": "acme", "type": "order.paid", "resource": "%s", "payload": {}}"""
                  .formatted(key));
    }
    long start = System.nanoTime();
    JsonNode answer = pod.post("/v1/events/batch", batch.append(']').toString());
    partition = answer.at("/results/0/deliveries/0/partition").intValue();
    for (int n = 0; n < OTHERS; n++) {
      await(arrivals.get(round + n), round + n, pod);
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private void queueMillion() {
    jdbc.sql(
            """
            with lane as (
              insert into lane (tenant, subscription_pk, key, last_sequence)
              select 'acme', pk, :hot, :count from subscription
              returning id, subscription_pk
            ), event as (
              insert into event (pk, tenant, id, type, content_type, payload, fingerprint, deliveries)
              values (nextval('queue_id'), 'acme', 'hot', 'order.paid', 'text/plain',
                      convert_to(repeat('x', 1500), 'UTF8'), '', '[]')
              returning pk
            )
            insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
            select :partition, nextval('queue_id'), lane.id, n, event.pk, lane.subscription_pk
            from lane, event, generate_series(1, :count) n
            """)
        .param("partition", partition)
        .param("hot", HOT)
        .param("count", MILLION)
        .update();
  }

  private long queued() {
    return jdbc.sql("select count(*) from delivery").query(Long.class).single();
  }

  private static void await(CountDownLatch latch, String what, PodProcess pod) throws Exception {
    if (!latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("Not delivered: " + what + "\n" + pod.log());
    }
  }
}
