package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** O9: time passes over a held lane, and nothing of it is moved, released or forgotten. */
class HeldLaneRetentionIntegrationTests {

  private static final int EVENTS = 20;

  /** Years at once; what is kept a day is over. */
  private static final String YEARS_PASS =
      """
      with d as (
        update delivery set enqueued_at = enqueued_at - interval '900 days',
          first_attempt_at = first_attempt_at - interval '900 days',
          next_attempt_at = next_attempt_at - interval '900 days'
      ), e as (
        update event set published_at = published_at - interval '900 days'
      ), x as (
        update dead_letter set ejected_at = ejected_at - interval '900 days'
      )
      update lane set held_at = held_at - interval '900 days'
      """;

  private final AtomicBoolean mended = new AtomicBoolean();
  private final List<String> arrived = new CopyOnWriteArrayList<>();
  private TestService service;
  private HttpServer receiver;

  @BeforeEach
  void start() throws IOException {
    service = TestService.start("seriatim.targets.allow=127.0.0.0/8");
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    receiver.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          if (mended.get()) {
            arrived.add(exchange.getRequestHeaders().getFirst("seriatim-sequence"));
          }
          exchange.sendResponseHeaders(mended.get() ? 204 : 500, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
    service.close();
  }

  @Test
  void heldLaneOutlivesEveryRetentionAndGoesOnInOrder() {
    RetentionPod retention =
        new RetentionPod(
            service.database(),
            "keeper",
            RetentionSettingsTests.settings(1, 1, 1),
            LockTimeout.SHORT);
    subscribe("parks", "PARK");
    subscribe("ejects", "EJECT");
    publish("parks", EVENTS);
    publish("ejects", 1);
    await("the lane is held", () -> lanes("HELD") == 1 && retention.count("dead_letter") == 1);
    long lane = service.get("/v1/lanes?state=HELD").json().at("/items/0/id").asLong();

    retention.jdbc.sql(YEARS_PASS).update();
    retention.workOff(retention.attempts);
    retention.workOff(retention.events);
    retention.workOff(retention.events);

    assertThat(retention.count("event")).as("all but the dead one").isEqualTo(EVENTS);
    assertThat(retention.count("dead_letter")).isZero();
    assertThat(retention.count("delivery")).isEqualTo(EVENTS);
    assertThat(retention.count("lane where state = 'HELD' and last_sequence = " + EVENTS)).isOne();
    Answer shown = service.get("/v1/lanes/" + lane);
    assertThat(shown.text("/head/attempts")).isEqualTo("2");
    assertThat(shown.text("/head/lastVerdict")).isEqualTo("SERVER_ERROR");
    assertThat(arrived).isEmpty();
    mended.set(true);
    assertThat(service.post("/v1/lanes/" + lane + "/resume", null).status()).isEqualTo(200);

    await("all is delivered", () -> retention.count("delivery") == 0);
    assertThat(arrived)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, EVENTS).mapToObj(Integer::toString).toList());
  }

  private void subscribe(String id, String policy) {
    Answer created =
        service.post(
            "/v1/subscriptions",
            """
            {"id": "%1$s", "tenant": "acme", "url": "http://127.0.0.1:%2$d/", "eventTypes": ["%1$s"], "onExhausted": "%3$s",
             "retry": {"maxAttempts": 2, "initialDelay": "PT0.02S"}}"""
                .formatted(id, receiver.getAddress().getPort(), policy));
    assertThat(created.status()).as(created.body()).isEqualTo(201);
  }

  private void publish(String type, int count) {
    String batch =
        String.join(
            ",",
            IntStream.rangeClosed(1, count)
                .mapToObj(
                    number ->
                        """
                        {"id": "%1$s-%2$d", "tenant": "acme", "type": "%1$s", "payload": %2$d}"""
                            .formatted(type, number))
                .toList());
    assertThat(service.post("/v1/events/batch", "[" + batch + "]").status()).isEqualTo(200);
  }

  private int lanes(String state) {
    return service.get("/v1/lanes?state=" + state).json().get("items").size();
  }

  private static void await(String what, Callable<Boolean> condition) {
    Awaitility.await(what).atMost(Duration.ofMinutes(1)).until(condition);
  }
}
