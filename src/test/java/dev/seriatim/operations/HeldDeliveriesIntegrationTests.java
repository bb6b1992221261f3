package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** O9, on the whole service: what was held or failed for years goes on where it stood. */
class HeldDeliveriesIntegrationTests {

  private static final String SUBSCRIPTION =
      """
      {"id": "%s", "tenant": "acme", "url": "http://127.0.0.1:%d/%s", "eventTypes": ["%s"], "ordering": "RESOURCE",
       "retry": {"maxAttempts": 9, "initialDelay": "PT600S", "multiplier": 1, "maxDelay": "PT600S", "jitter": 0}}""";

  private static final String PAYLOAD = "{\"of\": \"%s\",  \"number\": %d.0}";
  private static final int EACH = 3;

  private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
  private volatile boolean healthy;
  private HttpServer receiver;
  private TestDatabase database;

  @BeforeEach
  void start() throws IOException {
    database = TestDatabase.create();
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    receiver.createContext("/", this::answer);
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
    database.close();
  }

  @Test
  void retentionMovesNothingThatIsHeldOrFails() {
    RetentionPod retention = new RetentionPod(database, "retention");
    try (TestService service = service()) {
      for (String id : List.of("held", "failing", "fine")) {
        succeeds(
            service.post(
                "/v1/subscriptions",
                SUBSCRIPTION.formatted(id, receiver.getAddress().getPort(), id, id)));
      }
      publish(service, "held");
      publish(service, "failing");
      await("both heads fail", () -> retention.count("delivery where attempts = 1") == 2);
      succeeds(service.post("/v1/subscriptions/held/disable", null));
      healthy = true;
      publish(service, "fine");
      await("what is fine arrives", () -> retention.count("delivery") == 2 * EACH);
    }
    age(retention);
    List<String> queue = rows(retention, "delivery");
    List<String> lanes = rows(retention, "lane");

    retention.dueNow();
    assertThat(retention.retention.round()).isEqualTo(RetentionTurns.REST);

    assertThat(retention.count("event where id like 'fine-%'")).isZero();
    assertThat(retention.count("event")).isEqualTo(2 * EACH);
    assertThat(retention.count("attempt")).isZero();
    assertThat(rows(retention, "delivery")).isEqualTo(queue);
    assertThat(rows(retention, "lane")).hasSize(3).isEqualTo(lanes);
    bodies.clear();
    retention.jdbc.sql("update delivery set next_attempt_at = clock_timestamp()").update();
    try (TestService service = service()) {
      await("what failed arrives", () -> retention.count("delivery") == EACH);
      for (int number = 1; number <= EACH; number++) {
        assertThat(service.get("/v1/events/acme/held-" + number).text("/deliveries/0/state"))
            .isEqualTo("HELD");
      }
      succeeds(service.post("/v1/subscriptions/held/enable", null));
      await("what was held arrives", () -> retention.count("delivery") == 0);
    }
    assertThat(bodies)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, 2 * EACH)
                .mapToObj(
                    n ->
                        n <= EACH
                            ? PAYLOAD.formatted("failing", n)
                            : PAYLOAD.formatted("held", n - EACH))
                .toList());
    assertThat(rows(retention, "lane")).isEqualTo(lanes);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      exchange.sendResponseHeaders(healthy ? 204 : 503, -1);
    }
  }

  private TestService service() {
    return TestService.startOn(
        database,
        database.url(),
        "seriatim.targets.allow=127.0.0.0/8",
        "seriatim.partitions.count=4");
  }

  private static void publish(TestService service, String type) {
    for (int number = 1; number <= EACH; number++) {
      succeeds(
          service.post(
              "/v1/events",
              """
              {"id": "%s-%d", "tenant": "acme", "type": "%s", "resource": "r", "payload": %s}"""
                  .formatted(type, number, type, PAYLOAD.formatted(type, number))));
    }
  }

  /** Everything is four thousand days older, the history as if no day's table had been there. */
  private static void age(RetentionPod pod) {
    String longAgo = " - interval '4000 days'";
    pod.jdbc.sql("update attempt set at = at" + longAgo).update();
    pod.jdbc.sql("update event set published_at = published_at" + longAgo).update();
    pod.jdbc
        .sql(
            "update delivery set enqueued_at = enqueued_at%s, first_attempt_at = first_attempt_at%s, next_attempt_at = next_attempt_at%s"
                .formatted(longAgo, longAgo, longAgo))
        .update();
  }

  private static List<String> rows(RetentionPod pod, String table) {
    return pod.jdbc
        .sql("select t::text from %s t order by 1".formatted(table))
        .query(String.class)
        .list();
  }

  private static void await(String what, Callable<Boolean> condition) {
    Awaitility.await(what).atMost(Duration.ofSeconds(60)).until(condition);
  }

  private static void succeeds(Answer answer) {
    assertThat(answer.status() / 100).as(answer.body()).isEqualTo(2);
  }
}
