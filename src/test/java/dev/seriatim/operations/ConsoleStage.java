package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.seriatim.TestService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** A running service with a receiver, and what an operator may find there. */
final class ConsoleStage implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private final Set<String> slow = ConcurrentHashMap.newKeySet();
  private final HttpServer receiver;
  private final TestService service;
  private final JdbcClient jdbc;

  ConsoleStage(String... properties) {
    try {
      receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    receiver.createContext("/", this::answer);
    receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    receiver.start();
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("seriatim.partitions.count=8");
    all.add("seriatim.metrics.sample-every=1s");
    all.add("seriatim.targets.allow=127.0.0.0/8");
    service = TestService.start(all.toArray(String[]::new));
    jdbc = JdbcClient.create(service.database().dataSource(2));
  }

  TestService service() {
    return service;
  }

  /** May do anything, as the service may not. */
  JdbcClient jdbc() {
    return jdbc;
  }

  String url(String page) {
    return "http://localhost:" + service.port() + "/" + page;
  }

  /**
   * With lanes by resource, for the events of its own name. What fails is tried once an hour.
   *
   * @param more members, each with a comma before it
   */
  void subscription(String id, String more) {
    TestService.Answer created =
        service.post(
            "/v1/subscriptions",
            """
            {"id": "%1$s", "tenant": "acme", "url": "http://127.0.0.1:%2$d/%1$s", "eventTypes": ["%1$s"], "ordering": "RESOURCE"%3$s}
            """
                .formatted(id, receiver.getAddress().getPort(), more));
    assertThat(created.status()).as(created.body()).isEqualTo(201);
  }

  /** One that fails, and is tried again an hour later. */
  void failing(String id) {
    fail(id);
    subscription(id, ", \"retry\": {\"initialDelay\": \"PT1H\", \"jitter\": 0}");
  }

  /** One that fails, and gives up at once. */
  void givingUp(String id) {
    fail(id);
    subscription(id, ", \"retry\": {\"maxAttempts\": 1}");
  }

  /** One whose receiver takes its time over each request. */
  void slow(String id) {
    slow.add("/" + id);
    subscription(id, "");
  }

  /** Requests to the subscription are answered 500 from now on. */
  void fail(String id) {
    failing.add("/" + id);
  }

  void mend(String id) {
    failing.remove("/" + id);
  }

  void publish(String subscription, String id, String key) {
    TestService.Answer answer =
        service.post(
            "/v1/events",
            "{\"id\": \"%s\", \"tenant\": \"acme\", \"type\": \"%s\", \"resource\": \"%s\", \"payload\": {\"for\": \"<b>%2$s</b>\"}}"
                .formatted(id, subscription, key));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
  }

  /** The one lane of a subscription and a key, as soon as its head has failed. */
  JsonNode waiting(String subscription, String key) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                service
                    .get("/v1/lanes?state=WAITING&subscription=" + subscription + "&key=" + key)
                    .json()
                    .at("/items/0"),
            lane -> lane.has("id"));
  }

  void awaitState(String event, String state) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> service.get("/v1/events/acme/" + event).text("/deliveries/0/state"),
            state::equals);
  }

  private void answer(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    byte[] body = "<i>not now</i>".getBytes(StandardCharsets.UTF_8);
    if (slow.contains(exchange.getRequestURI().getPath())) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(40));
    }
    if (failing.contains(exchange.getRequestURI().getPath())) {
      exchange.sendResponseHeaders(500, body.length);
      exchange.getResponseBody().write(body);
    } else {
      exchange.sendResponseHeaders(204, -1);
    }
    exchange.close();
  }

  @Override
  public void close() {
    service.close();
    receiver.stop(0);
  }
}
