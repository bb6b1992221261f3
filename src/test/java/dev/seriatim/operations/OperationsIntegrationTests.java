package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Where events stand and what could not be delivered, over real HTTP on a real PostgreSQL. */
@SpringBootTest(
    classes = OperationsServer.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    // the database comes from the server above; without a name an embedded one would start
    properties = "spring.datasource.url=none")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationsIntegrationTests {

  private final HttpClient client = HttpClient.newHttpClient();
  private final JsonMapper mapper = new JsonMapper();

  @LocalServerPort private int port;
  private final JdbcClient jdbc;
  private final Fixture rows;

  @Autowired
  OperationsIntegrationTests(JdbcClient jdbc) {
    this.jdbc = jdbc;
    this.rows = new Fixture(jdbc);
  }

  @BeforeEach
  void clear() {
    rows.clear();
  }

  @AfterAll
  void close() {
    client.close();
  }

  @Test
  void eventTellsWhereEachOfItsDeliveriesStands() throws Exception {
    String[] states = {
      "ENABLED",
      "ENABLED",
      "ENABLED",
      "DISABLED",
      "DELETED",
      "ENABLED",
      "ENABLED",
      "ENABLED",
      "ENABLED",
      "DELETED",
      "DELETED",
      "ENABLED",
      "ENABLED",
      "ENABLED"
    };
    long[] subscription = new long[states.length];
    long[] lane = new long[states.length];
    long first = rows.nextDelivery();
    List<String> entries = new ArrayList<>();
    for (int i = 0; i < states.length; i++) {
      boolean ordered = i != 5 && i != 11;
      subscription[i] = rows.subscription("s" + i, "acme", states[i]);
      lane[i] = ordered ? rows.lane("acme", subscription[i], "k" + i) : 0;
      entries.add(
          Fixture.entry(
              first + i, subscription[i], "s" + i, ordered ? lane[i] : null, "k" + i, i + 1));
      rows.nextDelivery();
    }
    long event = rows.event("acme", "e1", "[" + String.join(",", entries) + "]");
    rows.queued(event, first, subscription[0], lane[0], 1L, 0, null);
    rows.queued(event, first + 1, subscription[1], lane[1], 2L, 2, "1 hour");
    rows.queued(event, first + 2, subscription[2], lane[2], 3L, 2, "-1 second");
    rows.queued(event, first + 3, subscription[3], lane[3], 4L, 1, "1 hour");
    rows.queued(event, first + 4, subscription[4], lane[4], 5L, 0, null);
    rows.queued(event, first + 5, subscription[5], null, null, 3, "1 hour");
    rows.attempt(event, first + 6, subscription[6], 1, "TIMEOUT");
    rows.attempt(event, first + 6, subscription[6], 2, "DELIVERED");
    rows.attempt(event, first + 8, subscription[8], 8, "TIMEOUT");
    rows.deadLetter(
        "acme", event, first + 8, subscription[8], lane[8], 9L, "ATTEMPTS_EXHAUSTED", "now");
    rows.attempt(event, first + 9, subscription[9], 1, "DELIVERED");
    rows.attempt(event, first + 10, subscription[10], 1, "CLIENT_ERROR");
    // A lane that is held stands aside.
    rows.queued(event, first + 12, subscription[12], lane[12], 13L, 1, "1 hour");
    jdbc.sql("update delivery set partition = ~partition where id = :id")
        .param("id", first + 12)
        .update();
    jdbc.sql(
            "update lane set state = 'HELD', held_by = 'POLICY', reason = 'r', held_at = now() where id = :id")
        .param("id", lane[12])
        .update();
    // Out of the dead letters, at the end of its lane, and in the queue again.
    rows.attempt(event, first + 13, subscription[13], 8, "TIMEOUT");
    rows.queued(event, first + 99, subscription[13], lane[13], 77L, 1, "1 hour");
    // Other events of the same lanes must not shine through.
    long other = rows.event("acme", "e2", "[]");
    rows.queued(other, 999, subscription[0], lane[0], 2L, 5, "1 hour");
    rows.queued(other, 998, subscription[11], null, null, 5, "1 hour");

    JsonNode answer = ok("/v1/events/acme/e1");
    assertThat(answer.get("id").asString()).isEqualTo("e1");
    assertThat(answer.get("tenant").asString()).isEqualTo("acme");
    assertThat(answer.get("type").asString()).isEqualTo("order.paid");
    assertThat(answer.get("contentType").asString()).isEqualTo("application/json");
    assertThat(Instant.parse(answer.get("publishedAt").asString())).isBefore(Instant.now());
    assertThat(answer.has("resource")).isFalse();
    assertThat(answer.has("payload")).isFalse();

    JsonNode deliveries = answer.get("deliveries");
    assertThat(deliveries.valueStream().map(d -> d.get("state").asString()))
        .containsExactly(
            "QUEUED",
            "WAITING",
            "QUEUED",
            "HELD",
            "CANCELLED",
            "WAITING",
            "DELIVERED",
            "DELIVERED",
            "DEAD",
            "DELIVERED",
            "CANCELLED",
            "DELIVERED",
            "HELD",
            "WAITING");
    assertThat(deliveries.valueStream().map(d -> d.path("attempts").asInt(-1)))
        .containsExactly(0, 2, 2, 1, 0, 3, 2, -1, 8, 1, 1, -1, 1, 1);
    assertThat(deliveries.get(0))
        .isEqualTo(
            mapper.readTree(
                """
                {"subscription": "s0", "lane": %d, "key": "k0", "sequence": 1, "partition": 5, "state": "QUEUED", "attempts": 0}"""
                    .formatted(lane[0])));
    assertThat(deliveries.get(1).get("lastVerdict").asString()).isEqualTo("SERVER_ERROR");
    assertThat(Instant.parse(deliveries.get(1).get("nextAttemptAt").asString()))
        .isAfter(Instant.now());
    assertThat(deliveries.get(5).has("key")).isFalse();
    assertThat(deliveries.get(5).has("sequence")).isFalse();
    assertThat(deliveries.get(6).get("lastVerdict").asString()).isEqualTo("DELIVERED");
    assertThat(deliveries.get(6).has("nextAttemptAt")).isFalse();
    assertThat(deliveries.get(8).get("lastVerdict").asString()).isEqualTo("TIMEOUT");
    assertThat(deliveries.get(12).get("partition").asInt()).isEqualTo(5);
    assertThat(deliveries.get(13).get("sequence").asInt()).isEqualTo(77);
    assertThat(deliveries.get(13).get("lastVerdict").asString()).isEqualTo("SERVER_ERROR");
  }

  @Test
  void pausedPartitionHoldsItsDeliveries() throws Exception {
    jdbc.sql(
            "insert into partition (id, paused_at, paused_reason) values (5, now(), 'r') on conflict (id) do update set paused_at = now(), paused_reason = 'r'")
        .update();
    long subscription = rows.subscription("s", "acme", "ENABLED");
    long event =
        rows.event("acme", "e1", "[" + Fixture.entry(1, subscription, "s", null, "", 0) + "]");
    rows.queued(event, 1, subscription, null, null, 0, null);

    assertThat(ok("/v1/events/acme/e1").at("/deliveries/0/state").asString()).isEqualTo("HELD");

    jdbc.sql("update partition set paused_at = null, paused_reason = null").update();
    assertThat(ok("/v1/events/acme/e1").at("/deliveries/0/state").asString()).isEqualTo("QUEUED");
  }

  // H11
  @Test
  void eventWithoutDeliveriesIsShown() throws Exception {
    rows.event("acme", "e1", "[]");
    assertThat(ok("/v1/events/acme/e1").get("deliveries").size()).isZero();
  }

  @Test
  void eventsOfOtherTenantsAreNotFound() throws Exception {
    rows.event("acme", "e1", "[]");
    assertProblem(get("/v1/events/other/e1"), 404, "");
    assertProblem(get("/v1/events/acme/e2"), 404, "");
    assertProblem(get("/v1/events/acme/e1?verbose=1"), 400, "verbose");
    assertProblem(get("/v1/events/acme/" + "x".repeat(257)), 400, "id");
    assertProblem(get("/v1/events/%01/e1"), 400, "tenant");
  }

  @Test
  void eventIsFoundByAnyName() throws Exception {
    rows.event("acmé 😀", "100%;a=b?", "[]");
    assertThat(ok("/v1/events/acm%C3%A9%20%F0%9F%98%80/100%25%3Ba=b%3F").get("id").asString())
        .isEqualTo("100%;a=b?");
  }

  @Test
  void deadLettersAreListedNewestFirstAndPaged() throws Exception {
    long subscription = rows.subscription("s", "acme", "ENABLED");
    long lane = rows.lane("acme", subscription, "k");
    long event = rows.event("acme", "e1", "[]");
    List<Long> expected = new ArrayList<>();
    for (long i = 1; i <= 7; i++) {
      expected.addFirst(
          rows.deadLetter("acme", event, i, subscription, lane, i, "TOO_OLD", "2026-01-02 00:00Z"));
    }
    List<Long> listed = new ArrayList<>();
    String cursor = "";
    int pages = 0;
    do {
      JsonNode page = ok("/v1/dead-letters?limit=3" + cursor);
      page.get("items").valueStream().forEach(item -> listed.add(item.get("id").asLong()));
      cursor = page.has("nextCursor") ? "&cursor=" + page.get("nextCursor").asString() : "";
      pages++;
    } while (!cursor.isEmpty());
    assertThat(listed).isEqualTo(expected);
    assertThat(pages).isEqualTo(3);
    assertThat(ok("/v1/dead-letters").get("items").get(0))
        .isEqualTo(
            mapper.readTree(
                """
                {"id": %d, "tenant": "acme", "subscription": "s", "event": "e1", "eventType": "order.paid",
                 "key": "k", "sequence": 7, "attempts": 8, "reason": "TOO_OLD", "lastVerdict": "TIMEOUT",
                 "enqueuedAt": "2026-01-01T00:00:00Z", "ejectedAt": "2026-01-02T00:00:00Z"}"""
                    .formatted(expected.getFirst())));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tenant=acme                                          | e4 e2 e1
          tenant=none                                          |
          subscription=s1                                      | e4 e1
          subscription=s2                                      | e3 e2
          tenant=acme&subscription=s2                          | e2
          key=                                                 | e2
          key=k%20%C3%A9                                       | e1
          reason=TOO_OLD                                       | e3 e2
          from=2026-01-02T00:00:00Z                            | e4 e3 e2
          to=2026-01-02T00:00:00Z                              | e1
          from=2026-01-02T01:00:00%2B01:00&to=2026-01-03T00:00Z | e2
          from=2026-01-02T00:00:00.000001Z&reason=TOO_OLD&tenant=beta&subscription=s2&key=x | e3
          """)
  void deadLettersAreFiltered(String query, String events) throws Exception {
    long one = rows.subscription("s1", "acme", "ENABLED");
    long deleted = rows.subscription("s2", "acme", "DELETED");
    long two = rows.subscription("s2", "beta", "ENABLED");
    long e1 = rows.event("acme", "e1", "[]");
    long e2 = rows.event("acme", "e2", "[]");
    long e3 = rows.event("beta", "e3", "[]");
    long e4 = rows.event("acme", "e4", "[]");
    long k = rows.lane("acme", one, "k é");
    rows.deadLetter("acme", e1, 1, one, k, 1L, "ATTEMPTS_EXHAUSTED", "2026-01-01 23:59:59.999999Z");
    long empty = rows.lane("acme", deleted, "");
    rows.deadLetter("acme", e2, 2, deleted, empty, 1L, "TOO_OLD", "2026-01-02 00:00Z");
    long x = rows.lane("beta", two, "x");
    rows.deadLetter("beta", e3, 3, two, x, 1L, "TOO_OLD", "2026-01-03 00:00Z");
    rows.deadLetter("acme", e4, 4, one, null, null, "ATTEMPTS_EXHAUSTED", "2026-01-04 00:00Z");
    assertThat(
            ok("/v1/dead-letters?" + query)
                .get("items")
                .valueStream()
                .map(item -> item.get("event").asString()))
        .containsExactly(events == null ? new String[0] : events.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "tenannt=acme, tenannt",
    "tenant=, tenant",
    "tenant=a&tenant=b, tenant",
    "subscription=, subscription",
    "key=%00, key",
    "reason=, reason",
    "reason=FOO, reason",
    "reason=too_old, reason",
    "from=yesterday, from",
    "from=2026-01-01, from",
    "to=2026-01-01T00:00:00+01:00, to",
    "to=%2B12026-01-01T00:00:00Z, to",
    "from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z, from",
    "limit=0, limit",
    "limit=501, limit",
    "limit=ten, limit",
    "cursor=!, cursor",
    "cursor=YWJj, cursor"
  })
  void badQueryParametersAreNamed(String query, String field) throws Exception {
    assertProblem(get("/v1/dead-letters?" + query), 400, field);
  }

  @Test
  void unknownReasonIsAnsweredWithThePossibleOnes() throws Exception {
    assertThat(get("/v1/dead-letters?reason=FOO").body())
        .contains("reason must be one of ATTEMPTS_EXHAUSTED, TOO_OLD");
  }

  @Test
  void deadLetterIsReadWithItsPayloadAndLastAttempts() throws Exception {
    long subscription = rows.subscription("s", "acme", "ENABLED");
    byte[] payload = "{\"b\":1.0,\"a\":\"\\u0000é\"}".getBytes(StandardCharsets.UTF_8);
    long event = rows.event("acme", "e1", "[]", payload);
    for (int i = 1; i <= 12; i++) {
      rows.attempt(event, 1, subscription, i, "TIMEOUT");
      rows.attempt(event, 2, subscription, i, "DNS");
    }
    long id =
        rows.deadLetter(
            "acme", event, 1, subscription, null, null, "ATTEMPTS_EXHAUSTED", "2026-01-02 00:00Z");
    JsonNode letter = ok("/v1/dead-letters/" + id);
    assertThat(letter.get("id").asLong()).isEqualTo(id);
    assertThat(letter.get("event").asString()).isEqualTo("e1");
    assertThat(letter.has("key")).isFalse();
    assertThat(letter.get("contentType").asString()).isEqualTo("application/json");
    assertThat(letter.get("payload").asString()).isEqualTo("{\"b\":1.0,\"a\":\"\\u0000é\"}");
    assertThat(letter.get("payloadBase64").binaryValue()).isEqualTo(payload);
    JsonNode attempts = letter.get("recentAttempts");
    assertThat(attempts.valueStream().map(a -> a.get("attempt").asInt()))
        .containsExactly(12, 11, 10, 9, 8, 7, 6, 5, 4, 3);
    assertThat(attempts.get(0).get("verdict").asString()).isEqualTo("TIMEOUT");
    assertThat(attempts.get(0).get("duration").asString()).isEqualTo("PT1.234S");
    assertThat(attempts.get(0).get("responseBody").asString()).isEqualTo("no\u0000\uFFFD");
    assertThat(attempts.get(0).get("address").asString()).isEqualTo("127.0.0.1");
    assertThat(attempts.get(0).has("location")).isFalse();
  }

  @Test
  void payloadThatIsNoTextIsShownAsBase64Only() throws Exception {
    long subscription = rows.subscription("s", "acme", "ENABLED");
    byte[] payload = {0, (byte) 0xFF, (byte) 0xC0};
    long event = rows.event("acme", "e1", "[]", payload);
    long id =
        rows.deadLetter("acme", event, 1, subscription, null, null, "TOO_OLD", "2026-01-02 00:00Z");
    JsonNode letter = ok("/v1/dead-letters/" + id);
    assertThat(letter.has("payload")).isFalse();
    assertThat(letter.get("payloadBase64").binaryValue()).isEqualTo(payload);
    assertThat(letter.get("recentAttempts").size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "-1", "abc", "99999999999999999999", "1.0"})
  void unknownDeadLetterIsNotFound(String id) throws Exception {
    assertProblem(get("/v1/dead-letters/" + id), 404, "");
  }

  @Test
  void readingOneTakesNoQueryParameters() throws Exception {
    assertProblem(get("/v1/dead-letters/1?full=true"), 400, "full");
  }

  private JsonNode ok(String path) throws Exception {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    return mapper.readTree(answer.body());
  }

  private void assertProblem(HttpResponse<String> answer, int status, String field) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(mapper.readTree(answer.body()).path("field").asString("")).isEqualTo(field);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
        BodyHandlers.ofString());
  }
}
