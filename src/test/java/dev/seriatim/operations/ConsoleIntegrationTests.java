package dev.seriatim.operations;

import static java.util.Comparator.naturalOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** What the console asks of the service, beside the operators' API. */
@Timeout(120)
class ConsoleIntegrationTests {

  private static final String TOKEN = "correct-horse-battery";
  private static final String SAMPLES = "seriatim.metrics.sample-every=500ms";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private TestService service;

  @AfterEach
  void stop() {
    if (service != null) {
      service.close();
    }
  }

  @Test
  void listenersShareEachSample() {
    service = TestService.start(SAMPLES);
    List<Instant> first = new ArrayList<>();
    List<Instant> second = new ArrayList<>();
    try (Listener one = new Listener(service);
        Listener other = new Listener(service)) {
      assertThat(one.answer().headers().firstValue("Content-Type"))
          .hasValue("text/event-stream;charset=UTF-8");
      for (int i = 0; i < 5; i++) {
        first.add(Instant.parse(one.next().path("sampledAt").asString()));
        second.add(Instant.parse(other.next().path("sampledAt").asString()));
      }
    }
    // They begin one after the other, and a sample may lie in between.
    Instant both = Stream.of(first.getFirst(), second.getFirst()).max(naturalOrder()).orElseThrow();
    first.removeIf(at -> at.isBefore(both));
    second.removeIf(at -> at.isBefore(both));
    int common = Math.min(first.size(), second.size());
    assertThat(common).isGreaterThanOrEqualTo(3);
    // Each sample has the database's time of its query: no two queries have the same.
    assertThat(second.subList(0, common)).isEqualTo(first.subList(0, common));
    assertThat(first).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void headThatFailsForAMinuteIsStuckHoweverFewWait() {
    service =
        TestService.start(
            SAMPLES, "seriatim.partitions.count=8", "seriatim.targets.allow=127.0.0.0/8");
    int shallow = queued("shallow", 1);
    int deep = queued("deep", 300);
    assertThat(shallow).isNotEqualTo(deep);
    JdbcClient jdbc = service.bean(JdbcClient.class);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                jdbc.sql("select count(*) from delivery where first_attempt_at is not null")
                        .query(Integer.class)
                        .single()
                    == 2);
    // As if the one had been failing for two minutes, and the other had begun to.
    jdbc.sql(
            """
            update delivery set first_attempt_at = clock_timestamp() - interval '2 minutes'
            where first_attempt_at is not null and subscription_pk = (select pk from subscription where id = 'shallow')
            """)
        .update();

    JsonNode overview =
        await()
            .atMost(PATIENCE)
            .until(
                () -> service.get("/console/api/overview").json(),
                seen ->
                    seen.path("stuck").size() > 0
                        && seen.path("partitions").path(deep).path("depth").asInt() == 300);

    assertThat(numbers(overview.path("stuck"))).containsExactly(shallow);
    assertThat(overview.path("stuckAfterSeconds").asInt()).isEqualTo(60);
    assertThat(overview.path("workers").size()).isOne();
    assertThat(service.get("/v1/lanes?partition=" + shallow).text("/items/0/key"))
        .isEqualTo("shallow");
    assertThat(service.get("/v1/lanes?partition=" + deep).json().path("items").size()).isOne();
    assertThat(service.get("/v1/lanes?state=WAITING&partition=" + shallow).text("/items/0/key"))
        .isEqualTo("shallow");
    assertThat(service.get("/v1/lanes?partition=99").json().path("items").size()).isZero();
    service.post("/v1/lanes/" + laneOf(shallow) + "/park", null);
    assertThat(service.get("/v1/lanes?state=HELD&partition=" + shallow).text("/items/0/key"))
        .isEqualTo("shallow");
    assertThat(service.get("/v1/lanes?state=HELD&partition=" + deep).json().path("items").size())
        .isZero();
  }

  @Test
  void ratesAreThoseOfTheCluster() {
    service = TestService.start(SAMPLES, "seriatim.targets.allow=127.0.0.0/8");
    try (Listener listener = new Listener(service)) {
      assertThat(listener.next().has("rates")).isFalse();
      for (int i = 0; i < 20; i++) {
        service.post("/v1/events", "{\"tenant\": \"t\", \"type\": \"x\", \"payload\": 1}");
      }
      // PostgreSQL counts with a delay of up to ten seconds.
      JsonNode rates = listener.next().path("rates");
      while (rates.path("published").asDouble() == 0) {
        rates = listener.next().path("rates");
      }
      assertThat(rates.path("published").asDouble() * rates.path("overSeconds").asDouble())
          .isBetween(0.9, 20.1);
      assertThat(rates.path("attempts").asDouble()).isZero();
    }
  }

  @Test
  void listenersAreToldWhenThereIsNothingNew() {
    service = TestService.start(SAMPLES);
    try (Listener listener = new Listener(service)) {
      listener.next();
      // Part of each sample.
      JdbcClient owner = JdbcClient.create(service.database().dataSource(1));
      owner.sql("alter table job rename to job_away").update();
      listener.await("outage");

      owner.sql("alter table job_away rename to job").update();
      listener.next();
    }
  }

  @Test
  void filesAreOpenToAllAndDataIsNot() {
    service = TestService.start("seriatim.security.token=" + TOKEN);

    assertThat(service.get("/").body()).contains("<title>Seriatim</title>");
    assertThat(service.get("/").header("Content-Type")).startsWith("text/html");
    assertThat(service.get("/console/app.js").header("Content-Type")).startsWith("text/javascript");
    assertThat(service.get("/console/console.css").status()).isEqualTo(200);
    assertThat(service.get("/").header("Content-Security-Policy"))
        .contains("default-src 'none'", "script-src 'self'");
    assertThat(service.get("/console/none.js").status()).isEqualTo(404);
    for (String path :
        new String[] {
          "/console/api/overview", "/console/api/overview/live", "/console/api/settings"
        }) {
      assertThat(service.get(path).status()).as(path).isEqualTo(401);
    }
    assertThat(service.post("/", "{}").status()).isEqualTo(401);
    assertThat(service.get("/console/..%2fapplication.yml").status()).isIn(400, 401, 404);
    assertThat(service.get("/console/api/overview", "Authorization", "Bearer " + TOKEN).status())
        .isEqualTo(200);
    try (Listener listener = new Listener(service, "Authorization", "Bearer " + TOKEN)) {
      assertThat(listener.next().path("partitionCount").asInt()).isEqualTo(64);
    }
  }

  @Test
  void settingsAreThoseInForceWithoutSecrets() {
    service =
        TestService.start(
            "seriatim.security.token=" + TOKEN,
            "seriatim.security.operators.anna=annas-token-0123456789",
            "seriatim.lease.ttl=40s",
            "seriatim.targets.allow=10.0.0.0/8,fd00::/8");

    TestService.Answer answer =
        service.get("/console/api/settings", "Authorization", "Bearer " + TOKEN);

    assertThat(answer.body()).doesNotContain(TOKEN, "annas-token");
    assertThat(setting(answer, "seriatim.lease.ttl").path("value").asString()).isEqualTo("PT40S");
    assertThat(setting(answer, "seriatim.lease.ttl").path("configured").asBoolean()).isTrue();
    assertThat(setting(answer, "seriatim.lease.margin").path("value").asString()).isEqualTo("PT2S");
    assertThat(setting(answer, "seriatim.lease.margin").path("configured").asBoolean()).isFalse();
    assertThat(setting(answer, "seriatim.lease.margin").path("description").asString())
        .isNotEmpty();
    assertThat(setting(answer, "seriatim.security.token").path("value").asString())
        .isEqualTo("******");
    assertThat(setting(answer, "seriatim.security.operators").path("value").asString())
        .isEqualTo("anna=******");
    assertThat(setting(answer, "seriatim.security.operators").path("configured").asBoolean())
        .isTrue();
    assertThat(setting(answer, "seriatim.targets.allow").path("value").asString())
        .isEqualTo("10.0.0.0/8, fd00:0:0:0:0:0:0:0/8");
    assertThat(setting(answer, "seriatim.targets.deny").has("value")).isFalse();
    assertThat(setting(answer, "seriatim.delivery.retry.max-attempts").path("value").asString())
        .isEqualTo("8");
    assertThat(setting(answer, "seriatim.delivery.rate-limit.limit").has("value")).isFalse();
    assertThat(setting(answer, "seriatim.delivery.breaker.failure-rate").path("value").asString())
        .isEqualTo("80");
  }

  @Test
  void stopEndsTheStreamsInsteadOfWaitingForThem() {
    service = TestService.start("spring.lifecycle.timeout-per-shutdown-phase=60s");
    try (Listener listener = new Listener(service)) {
      listener.next();
      CompletableFuture<Void> ended = CompletableFuture.runAsync(listener::awaitEnd);

      long begin = System.nanoTime();
      service.close();
      long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();

      ended.join();
      assertThat(seconds).isLessThan(30);
    }
    service = null;
  }

  @Test
  void placesToListenAreFewAndComeBack() {
    service = TestService.start();
    List<Listener> all =
        IntStream.range(0, ConsoleFeed.MOST_LISTENERS)
            .mapToObj(n -> new Listener(service))
            .toList();

    TestService.Answer refused = service.get("/console/api/overview/live");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.text("/detail")).contains("/console/api/overview from time to time");
    assertThat(service.send("HEAD", "/console/api/overview/live", null).status()).isEqualTo(200);

    all.forEach(Listener::close);
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              try (Listener next = new Listener(service)) {
                return next.answer().statusCode() == 200;
              }
            });
  }

  /** Nothing listens on the discard port: the first of them fails and waits for an hour. */
  private int queued(String id, int events) {
    service.post(
        "/v1/subscriptions",
        """
        {"id": "%1$s", "tenant": "t", "eventTypes": ["%1$s"], "url": "http://127.0.0.1:9/", "retry": {"initialDelay": "PT1H"}}
        """
            .formatted(id));
    int partition = -1;
    for (int i = 0; i < events; i++) {
      partition =
          service
              .post(
                  "/v1/events",
                  "{\"tenant\": \"t\", \"type\": \"%s\", \"payload\": 1}".formatted(id))
              .json()
              .at("/deliveries/0/partition")
              .asInt();
    }
    return partition;
  }

  private long laneOf(int partition) {
    return service.get("/v1/lanes?partition=" + partition).json().at("/items/0/id").asLong();
  }

  private static List<Integer> numbers(JsonNode array) {
    List<Integer> numbers = new ArrayList<>();
    array.forEach(number -> numbers.add(number.asInt()));
    return numbers;
  }

  private static JsonNode setting(TestService.Answer answer, String name) {
    for (JsonNode setting : answer.json()) {
      if (setting.path("name").asString().equals(name)) {
        return setting;
      }
    }
    throw new AssertionError("No setting " + name + " in " + answer.body());
  }
}
