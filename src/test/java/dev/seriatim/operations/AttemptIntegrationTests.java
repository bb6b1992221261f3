package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The history of attempts, over real HTTP on a real PostgreSQL. */
@SpringBootTest(
    classes = OperationsServer.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    // the database comes from the server above; without a name an embedded one would start
    properties = "spring.datasource.url=none")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AttemptIntegrationTests {

  private final HttpClient client = HttpClient.newHttpClient();
  private final JsonMapper mapper = new JsonMapper();

  @LocalServerPort private int port;
  private final JdbcClient jdbc;
  private final Fixture rows;

  @Autowired
  AttemptIntegrationTests(JdbcClient jdbc) {
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
  void tellsAllThatIsKnownOfAnAttempt() throws Exception {
    long subscription = rows.subscription("s", "acme", "ENABLED");
    long lane = rows.lane("acme", subscription, "k é");
    long event = rows.event("acme", "e1", "[]");
    rows.attempt(
        "2026-01-02 03:04:05.678901Z", event, subscription, lane, 7L, "REDIRECT", utf8("no"));

    assertThat(ok("subscription=s"))
        .isEqualTo(
            mapper.readTree(
                """
                {"items": [
                  {"tenant": "acme", "event": "e1", "subscription": "s", "key": "k é", "sequence": 7, "partition": 5,
                   "at": "2026-01-02T03:04:05.678901Z", "attempt": 2, "owner": "pod-a", "epoch": 3,
                   "verdict": "REDIRECT", "status": 302, "duration": "PT1.234S", "address": "192.0.2.1",
                   "location": "https://other.example/", "responseHeaders": "a: b", "responseBody": "no"}]}"""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tenant=acme                                       | e4 e2 e1 e1
          tenant=beta                                       | e1
          tenant=none                                       |
          subscription=s1                                   | e4 e1 e1
          subscription=s2                                   | e1 e2
          subscription=none                                 |
          tenant=acme&subscription=s2                       | e2
          tenant=beta&subscription=s1                       |
          tenant=acme&event=e1                              | e1 e1
          tenant=beta&event=e1                              | e1
          tenant=acme&event=e3                              |
          subscription=s1&event=e1                          | e1 e1
          subscription=s2&event=e1                          | e1
          tenant=acme&event=e1&subscription=s2              |
          tenant=acme&event=e1&key=k%20%C3%A9               | e1 e1
          tenant=acme&event=e1&key=other                    |
          tenant=acme&event=e1&verdict=TIMEOUT              | e1
          tenant=acme&event=e1&failed=true                  | e1
          tenant=acme&event=e1&from=2026-01-02T00:00:00Z    | e1
          tenant=acme&key=                                  | e2
          tenant=acme&key=acme                              | e4
          subscription=s1&key=k%20%C3%A9                    | e1 e1
          subscription=s1&key=acme                          | e4
          subscription=s1&key=x                             |
          subscription=s1&verdict=DELIVERED                 | e4 e1
          subscription=s1&verdict=TIMEOUT                   | e1
          subscription=s1&verdict=DNS                       |
          subscription=s1&failed=true                       | e1
          subscription=s1&failed=false                      | e4 e1 e1
          subscription=s1&failed=true&verdict=DELIVERED     |
          tenant=acme&failed=true                           | e2 e1
          tenant=acme&failed=true&verdict=DNS               | e2
          tenant=acme&from=2026-01-02T00:00:00Z             | e4 e2 e1
          tenant=acme&to=2026-01-02T00:00:00Z               | e1
          tenant=acme&from=2026-01-02T01:00:00%2B01:00&to=2026-01-03T00:00Z | e1
          tenant=acme&from=2026-01-03T00:00:00.000001Z&verdict=DELIVERED&subscription=s1&key=acme | e4
          """)
  void attemptsAreFiltered(String query, String events) throws Exception {
    long one = rows.subscription("s1", "acme", "ENABLED");
    long deleted = rows.subscription("s2", "acme", "DELETED");
    long two = rows.subscription("s2", "beta", "ENABLED");
    long k = rows.lane("acme", one, "k é");
    long empty = rows.lane("acme", deleted, "");
    long x = rows.lane("beta", two, "x");
    long shared = sharedLane("acme", "acme");
    long e1 = rows.event("acme", "e1", "[]");
    long e2 = rows.event("acme", "e2", "[]");
    long beta = rows.event("beta", "e1", "[]");
    long e4 = rows.event("acme", "e4", "[]");
    rows.attempt("2026-01-01 23:59:59.999999Z", e1, one, k, 1L, "TIMEOUT", null);
    rows.attempt("2026-01-02 00:00Z", e1, one, k, 1L, "DELIVERED", null);
    rows.attempt("2026-01-03 00:00Z", e2, deleted, empty, 1L, "DNS", null);
    rows.attempt("2026-01-04 00:00Z", beta, two, x, 1L, "DELIVERED", null);
    rows.attempt("2026-01-05 00:00Z", e4, one, shared, 1L, "DELIVERED", null);

    assertThat(ok(query).get("items").valueStream().map(item -> item.get("event").asString()))
        .containsExactly(events == null ? new String[0] : events.split(" "));
  }

  /** Nothing is lost or repeated at the edge of a page, wherever equal times are cut apart. */
  @Test
  void pagesOfAnySizeMakeUpTheWholeWithEqualTimes() throws Exception {
    List<Long> subscriptions = new ArrayList<>();
    List<Long> lanes = new ArrayList<>();
    List<Long> events = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      subscriptions.add(rows.subscription("s" + i, "acme", i == 2 ? "DELETED" : "ENABLED"));
      lanes.add(rows.lane("acme", subscriptions.get(i), "k"));
      events.add(rows.event("acme", "e" + i, "[]"));
    }
    record Made(
        String at, int event, int subscription, boolean inLane, String verdict, long number) {}
    List<Made> made = new ArrayList<>();
    Random random = new Random(4);
    for (int i = 1; i <= 40; i++) {
      Made attempt =
          new Made(
              "2026-01-01T00:00:0" + random.nextInt(4) + ".000001Z",
              random.nextInt(3),
              random.nextInt(3),
              random.nextBoolean(),
              random.nextInt(3) == 0 ? "DELIVERED" : "TIMEOUT",
              rows.nextDelivery() + 1);
      rows.attempt(
          attempt.at(),
          events.get(attempt.event()),
          subscriptions.get(attempt.subscription()),
          attempt.inLane() ? lanes.get(attempt.subscription()) : null,
          attempt.inLane() ? attempt.number() : null,
          attempt.verdict(),
          utf8("" + attempt.number()));
      made.add(attempt);
    }
    made.sort(Comparator.comparing(Made::at).thenComparing(Made::number).reversed());

    assertPaged("tenant=acme", made.stream().map(Made::number).toList());
    assertPaged(
        "subscription=s2",
        made.stream().filter(a -> a.subscription() == 2).map(Made::number).toList());
    assertPaged("tenant=acme&key=k", made.stream().filter(Made::inLane).map(Made::number).toList());
    assertPaged(
        "tenant=acme&failed=true",
        made.stream().filter(a -> a.verdict().equals("TIMEOUT")).map(Made::number).toList());
    assertPaged(
        "tenant=acme&event=e1",
        made.stream().filter(a -> a.event() == 1).map(Made::number).toList());
    assertPaged(
        "subscription=s0&key=k&verdict=TIMEOUT&from=2026-01-01T00:00:01Z",
        made.stream()
            .filter(a -> a.subscription() == 0 && a.inLane() && a.verdict().equals("TIMEOUT"))
            .filter(a -> a.at().compareTo("2026-01-01T00:00:01.000000Z") >= 0)
            .map(Made::number)
            .toList());
  }

  private void assertPaged(String query, List<Long> expected) throws Exception {
    for (int limit = 1; limit <= expected.size() + 1; limit++) {
      List<Long> listed = new ArrayList<>();
      String cursor = "";
      int pages = 0;
      do {
        JsonNode page = ok(query + "&limit=" + limit + cursor);
        page.get("items")
            .valueStream()
            .forEach(item -> listed.add(Long.valueOf(item.get("responseBody").asString())));
        cursor = page.has("nextCursor") ? "&cursor=" + page.get("nextCursor").asString() : "";
        pages++;
      } while (!cursor.isEmpty());
      assertThat(listed).as("%s by %d", query, limit).isEqualTo(expected);
      assertThat(pages).isEqualTo(Math.ceilDiv(expected.size(), limit));
    }
  }

  @Test
  void searchGoesOnAtTheCursorWhenOneRequestWouldReadTooMuch() throws Exception {
    long subscription = rows.subscription("s", "acme", "ENABLED");
    long busy = rows.lane("acme", subscription, "busy");
    long lane = rows.lane("acme", subscription, "k");
    long event = rows.event("acme", "e1", "[]");
    rows.attempt("2025-12-31 00:00Z", event, subscription, lane, 1L, "DELIVERED", utf8("first"));
    rows.attempt("2026-01-01 03:00Z", event, subscription, lane, 2L, "DELIVERED", utf8("second"));
    rows.attempt("2026-01-02 00:00Z", event, subscription, lane, 3L, "DELIVERED", utf8("third"));
    delivered(event, subscription, busy, 2 * AttemptQuery.READ_AT_MOST + 5_000);

    List<String> found = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = ok("subscription=s&key=k" + cursor);
      page.get("items").valueStream().forEach(i -> found.add(i.get("responseBody").asString()));
      sizes.add(page.get("items").size());
      cursor = page.has("nextCursor") ? "&cursor=" + page.get("nextCursor").asString() : "";
    } while (!cursor.isEmpty());

    assertThat(found).containsExactly("third", "second", "first");
    assertThat(sizes).containsExactly(1, 1, 1);
    assertThat(ok("subscription=s&key=k&to=2026-01-01T00:00:00Z").has("nextCursor")).isFalse();
  }

  /** One a second from 2026-01-01 on. */
  private void delivered(long event, long subscription, long lane, int count) {
    jdbc.sql(
            """
            insert into attempt (at, event_pk, subscription_pk, delivery_id, lane_id, sequence, partition, epoch, worker,
              attempt, verdict, status, duration_ms)
            select timestamptz '2026-01-01 00:00Z' + n * interval '1 second', :event, :subscription, n, :lane, n, 5, 1, 'p',
              1, 'DELIVERED', 204, 1
            from generate_series(1, :count) n""")
        .param("event", event)
        .param("subscription", subscription)
        .param("lane", lane)
        .param("count", count)
        .update();
  }

  @Test
  void attemptOutlivesWhatItBelongsTo() throws Exception {
    long subscription = rows.subscription("s", "acme", "DELETED");
    long event = rows.event("acme", "e1", "[]");
    rows.attempt("2026-01-01 00:00Z", 999, subscription, null, null, "TIMEOUT", null);
    rows.attempt("2026-01-02 00:00Z", event, 999, 999L, 4L, "TIMEOUT", null);

    JsonNode withoutEvent = ok("subscription=s").get("items");
    assertThat(withoutEvent.size()).isOne();
    assertThat(withoutEvent.get(0).get("at").asString()).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(withoutEvent.get(0).get("tenant").asString()).isEqualTo("acme");
    assertThat(withoutEvent.get(0).propertyNames()).doesNotContain("event", "key", "sequence");

    JsonNode withoutSubscription = ok("tenant=acme&event=e1").get("items");
    assertThat(withoutSubscription.size()).isOne();
    assertThat(withoutSubscription.get(0).get("event").asString()).isEqualTo("e1");
    assertThat(withoutSubscription.get(0).get("sequence").asInt()).isEqualTo(4);
    assertThat(withoutSubscription.get(0).propertyNames()).doesNotContain("subscription", "key");
  }

  @Test
  void bodiesAreShownAsTextAndOnlySoFar() throws Exception {
    long subscription = rows.subscription("s", "acme", "ENABLED");
    long event = rows.event("acme", "e1", "[]");
    byte[] odd = {'n', 0, (byte) 0xFF, 'o', (byte) 0xC3};
    // The limit falls into the middle of a character.
    byte[] cut = utf8("x" + "é".repeat(AttemptQuery.MOST_BODY));
    rows.attempt("2026-01-01 00:00Z", event, subscription, null, null, "TIMEOUT", odd);
    rows.attempt("2026-01-02 00:00Z", event, subscription, null, null, "TIMEOUT", cut);
    rows.attempt("2026-01-03 00:00Z", event, subscription, null, null, "TIMEOUT", new byte[0]);
    rows.attempt("2026-01-04 00:00Z", event, subscription, null, null, "TIMEOUT", null);

    for (String query : List.of("subscription=s", "tenant=acme&event=e1")) {
      JsonNode items = ok(query).get("items");
      assertThat(items.get(0).has("responseBody")).isFalse();
      assertThat(items.get(1).get("responseBody").asString()).isEmpty();
      assertThat(items.get(2).get("responseBody").asString())
          .isEqualTo("x" + "é".repeat(AttemptQuery.MOST_BODY / 2 - 1) + "\uFFFD");
      assertThat(items.get(3).get("responseBody").asString()).isEqualTo("n\u0000\uFFFDo\uFFFD");
    }
  }

  @Test
  void tenantWithManySubscriptionsMustNameOne() throws Exception {
    long event = rows.event("acme", "e1", "[]");
    for (int i = 0; i < AttemptSources.MOST_SUBSCRIPTIONS; i++) {
      long deleted = rows.subscription("s" + i, "acme", "DELETED");
      rows.attempt("2026-01-01 00:00Z", event, deleted, null, null, "TIMEOUT", null);
    }
    for (int i = 0; i < AttemptSources.MOST_SUBSCRIPTIONS; i++) {
      rows.subscription("s" + i, "acme", "ENABLED");
    }

    assertThat(ok("tenant=acme").get("items").size()).as("those in use come first").isZero();
    assertThat(ok("subscription=s0").get("items").size()).isOne();
    assertThat(ok("tenant=acme&event=e1").get("items").size()).isEqualTo(50);

    rows.subscription("one more", "acme", "DISABLED");

    HttpResponse<String> refusal = get("/v1/attempts?tenant=acme");
    assertProblem(refusal, "subscription");
    assertThat(refusal.body()).contains("tenant acme has more than 50 of them");
    assertThat(ok("tenant=acme&subscription=s0").get("items").size()).isOne();
  }

  @ParameterizedTest
  @CsvSource({
    "'', subscription",
    "key=k, subscription",
    "verdict=TIMEOUT&from=2026-01-01T00:00:00Z, subscription",
    "event=e1, tenant",
    "tennant=acme, tennant",
    "tenant=, tenant",
    "tenant=a&tenant=b, tenant",
    "subscription=, subscription",
    "tenant=acme&event=, event",
    "tenant=acme&event=%00, event",
    "tenant=acme&key=%00, key",
    "tenant=acme&verdict=, verdict",
    "tenant=acme&verdict=timeout, verdict",
    "tenant=acme&failed=, failed",
    "tenant=acme&failed=yes, failed",
    "tenant=acme&from=yesterday, from",
    "tenant=acme&from=2026-01-01, from",
    "tenant=acme&to=2026-01-01T00:00:00+01:00, to",
    "tenant=acme&from=-0001-01-01T00:00:00Z, from",
    "tenant=acme&to=%2B999999999-12-31T00:00:00Z, to",
    "tenant=acme&from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00%2B01:00, from",
    "tenant=acme&limit=0, limit",
    "tenant=acme&limit=501, limit",
    "tenant=acme&cursor=!, cursor",
    // "12", "1,2,x", and times before and after all that the database knows
    "tenant=acme&cursor=MTI, cursor",
    "tenant=acme&cursor=MSwyLHg, cursor",
    "tenant=acme&cursor=LTkyMjMzNzIwMzY4NTQ3NzU4MDgsMSwx, cursor",
    "tenant=acme&cursor=OTIyMzM3MjAzNjg1NDc3NTgwNywxLDE, cursor",
    "tenant=acme&cursor=OTk5OTk5OTk5OTk5OTk5OTk5OSwxLDE, cursor"
  })
  void badQueryParametersAreNamed(String query, String field) throws Exception {
    assertProblem(get("/v1/attempts?" + query), field);
  }

  @Test
  void unknownVerdictIsAnsweredWithThePossibleOnes() throws Exception {
    assertThat(get("/v1/attempts?tenant=acme&verdict=FOO").body())
        .contains("verdict must be one of DELIVERED, GONE, BLOCKED", "CONNECTION_LOST, PROTOCOL");
  }

  @Test
  void timesAtTheEdgesAreTaken() throws Exception {
    assertThat(ok("tenant=a&from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999Z").has("items"))
        .isTrue();
  }

  private long sharedLane(String tenant, String key) {
    return jdbc.sql("insert into lane (tenant, key) values (:tenant, :key) returning id")
        .param("tenant", tenant)
        .param("key", key)
        .query(Long.class)
        .single();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private JsonNode ok(String query) throws Exception {
    HttpResponse<String> answer = get("/v1/attempts?" + query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    return mapper.readTree(answer.body());
  }

  private void assertProblem(HttpResponse<String> answer, String field) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(mapper.readTree(answer.body()).path("field").asString("")).isEqualTo(field);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
        BodyHandlers.ofString(StandardCharsets.UTF_8));
  }
}
