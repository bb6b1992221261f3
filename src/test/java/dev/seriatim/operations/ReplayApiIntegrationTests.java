package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Replays, redelivery and jobs as operators call them, on the whole service. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ReplayApiIntegrationTests {

  private static final String[] TOKEN = {"Authorization", "Bearer night-shift-token"};

  private TestService service;
  private JdbcClient jdbc;
  private Fixture rows;

  @BeforeAll
  void start() {
    service = TestService.start("seriatim.security.token=night-shift-token");
    jdbc = JdbcClient.create(service.database().dataSource());
    rows = new Fixture(jdbc);
  }

  @AfterAll
  void stop() {
    service.close();
  }

  /** A dead letter of a subscription of its own, which is disabled: what comes back stays. */
  private long deadLetter(String subscription, String event) {
    long pk = rows.subscription(subscription, "acme", "DISABLED");
    long lane = rows.lane("acme", pk, subscription);
    long delivery = 1_000_000 + pk;
    long eventPk =
        rows.event(
            "acme",
            event,
            "[" + Fixture.entry(delivery, pk, subscription, lane, subscription, 1) + "]");
    jdbc.sql("update lane set last_sequence = 1 where id = :id").param("id", lane).update();
    return rows.deadLetter(
        "acme", eventPk, delivery, pk, lane, 1L, "ATTEMPTS_EXHAUSTED", "2026-01-01T00:00Z");
  }

  private Answer post(String path, String json) {
    return service.post(path, json, TOKEN);
  }

  private long queued(String event) {
    return jdbc.sql(
            "select count(*) from delivery d join event e on e.pk = d.event_pk where e.id = :id")
        .param("id", event)
        .query(Long.class)
        .single();
  }

  private JsonNode finished(String location) {
    return Awaitility.await("the end of " + location)
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> service.get(location, TOKEN).json(), job -> job.has("finishedAt"));
  }

  @Test
  void deadLetterIsReplayedOnceAndTheRepeatToldWhoDidIt() {
    long id = deadLetter("once", "once-1");

    Answer first = post("/v1/dead-letters/" + id + "/replay", null);
    Answer repeat = post("/v1/dead-letters/" + id + "/replay", "{\"as\": \"NEW\"}");

    assertThat(first.status()).as(first.body()).isEqualTo(200);
    assertThat(first.json().propertyNames()).containsExactly("deadLetter", "as");
    assertThat(first.text("/as")).isEqualTo("ORIGINAL");
    assertThat(repeat.status()).as(repeat.body()).isEqualTo(200);
    assertThat(repeat.text("/alreadyDone/operator")).isEqualTo("api-token");
    assertThat(Instant.parse(repeat.text("/alreadyDone/at"))).isBefore(Instant.now());
    assertThat(queued("once-1")).isEqualTo(1);
    JsonNode audit = service.get("/v1/audit?target=dead-letter/" + id, TOKEN).json().get("items");
    assertThat(audit).hasSize(1);
    assertThat(audit.get(0).at("/detail/as").asString()).isEqualTo("ORIGINAL");
  }

  @Test
  void discardedDeadLetterIsGoneForOperatorsAndKnownToItsEvent() {
    long id = deadLetter("discard", "discard-1");

    assertThat(service.send("DELETE", "/v1/dead-letters/" + id, null, TOKEN).status())
        .isEqualTo(204);
    assertThat(service.send("DELETE", "/v1/dead-letters/" + id, null, TOKEN).status())
        .isEqualTo(204);

    assertThat(service.get("/v1/dead-letters/" + id, TOKEN).status()).isEqualTo(404);
    assertThat(service.get("/v1/events/acme/discard-1", TOKEN).text("/deliveries/0/state"))
        .isEqualTo("DISCARDED");
    Answer replay = post("/v1/dead-letters/" + id + "/replay", null);
    assertThat(replay.status()).isEqualTo(409);
    assertThat(replay.text("/detail")).contains("discarded by api-token");
  }

  @Test
  void filterIsCountedThenReplayedByAJob() {
    deadLetter("many", "many-1");
    String filter = "\"subscription\": \"many\", \"reason\": \"ATTEMPTS_EXHAUSTED\"";

    Answer count = post("/v1/dead-letters/replay", "{%s, \"dryRun\": true}".formatted(filter));
    assertThat(count.status()).as(count.body()).isEqualTo(200);
    assertThat(count.json().get("count").asInt()).isEqualTo(1);
    assertThat(queued("many-1")).isZero();

    Answer started = post("/v1/dead-letters/replay", "{%s}".formatted(filter));
    assertThat(started.status()).as(started.body()).isEqualTo(202);
    JsonNode job = finished(started.header("Location"));
    assertThat(job.get("state").asString()).isEqualTo("DONE");
    assertThat(job.get("kind").asString()).isEqualTo("REPLAY_DEAD_LETTERS");
    assertThat(job.get("operator").asString()).isEqualTo("api-token");
    assertThat(job.at("/parameters/filter/subscription").asString()).isEqualTo("many");
    assertThat(job.get("total").asInt()).isEqualTo(1);
    assertThat(job.get("done").asInt()).isEqualTo(1);
    assertThat(queued("many-1")).isEqualTo(1);
    assertThat(service.get("/v1/jobs?state=DONE", TOKEN).json().get("items")).isNotEmpty();
    assertThat(
            service
                .get("/v1/audit?target=job/" + job.get("id").asLong(), TOKEN)
                .json()
                .get("items"))
        .hasSize(1);

    Answer cancel = post(started.header("Location") + "/cancel", null);
    assertThat(cancel.text("/state")).isEqualTo("DONE");
  }

  @Test
  void eventIsDeliveredAgainUnlessItIsQueued() {
    deadLetter("again", "a/b ä");
    String path = "/v1/events/acme/a%2Fb%20%C3%A4/redeliver";

    Answer first = post(path, null);
    Answer repeat = post(path, "{\"subscription\": \"again\"}");

    assertThat(first.status()).as(first.body()).isEqualTo(200);
    assertThat(first.text("/id")).isEqualTo("a/b ä");
    assertThat(first.json().at("/deliveries/0").toString())
        .isEqualTo(
            """
            {"subscription":"again","key":"again","sequence":1,"outcome":"REDELIVERED"}""");
    assertThat(repeat.text("/deliveries/0/outcome")).isEqualTo("STILL_QUEUED");
    assertThat(queued("a/b ä")).isEqualTo(1);
    assertThat(
            jdbc.sql("select count(*) from audit where target = 'event/acme/a/b ä'")
                .query(Long.class)
                .single())
        .isEqualTo(1);
  }

  @Test
  void eventGoesToASubscriptionItWasNeverForAsNewOnly() {
    deadLetter("first", "never-1");
    rows.subscription("second", "acme", "DISABLED");
    rows.subscription("foreign", "other", "DISABLED");

    String path = "/v1/events/acme/never-1/redeliver";
    assertThat(post(path, "{\"subscription\": \"second\"}").status()).isEqualTo(409);
    assertThat(post(path, "{\"subscription\": \"foreign\"}").text("/field"))
        .isEqualTo("subscription");
    assertThat(post(path, "{\"subscription\": \"none\"}").status()).isEqualTo(404);
    Answer copy = post(path, "{\"subscription\": \"second\", \"as\": \"NEW\"}");

    assertThat(copy.status()).as(copy.body()).isEqualTo(200);
    assertThat(copy.text("/deliveries/0/outcome")).isEqualTo("REDELIVERED");
    assertThat(queued("never-1")).isEqualTo(1);
  }

  @Test
  void rangeIsCountedThenDeliveredAgainByAJob() {
    deadLetter("range", "range-1");
    String range = "\"from\": \"%s\"".formatted(Instant.now().minusSeconds(3600));

    Answer count =
        post("/v1/subscriptions/range/redeliver", "{%s, \"dryRun\": true}".formatted(range));
    assertThat(count.json().get("count").asInt()).as(count.body()).isEqualTo(1);

    Answer started =
        post(
            "/v1/subscriptions/range/redeliver",
            "{%s, \"eventTypes\": [\"order.*\"]}".formatted(range));
    assertThat(started.status()).as(started.body()).isEqualTo(202);
    JsonNode job = finished(started.header("Location"));
    assertThat(job.get("done").asInt()).as(job.toString()).isEqualTo(1);
    assertThat(queued("range-1")).isEqualTo(1);
    assertThat(service.get("/v1/events/acme/range-1", TOKEN).text("/deliveries/0/state"))
        .isEqualTo("HELD");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /v1/dead-letters/1/replay       | {"as": "OLD"}                           | as
          /v1/dead-letters/1/replay       | {"at": "NEW"}                           | at
          /v1/dead-letters/replay         | {"tenat": "acme"}                       | tenat
          /v1/dead-letters/replay         | {"reason": "BORED"}                     | reason
          /v1/dead-letters/replay         | {"from": "yesterday"}                   | from
          /v1/dead-letters/replay         | {"all": true, "tenant": "acme"}         | all
          /v1/dead-letters/replay         | {"dryRun": true}                        |
          /v1/dead-letters/replay         | {"all": false}                          |
          /v1/subscriptions/bad/redeliver | {}                                      | from
          /v1/subscriptions/bad/redeliver | {"from": "2999-01-01T00:00:00Z"}        | from
          /v1/subscriptions/bad/redeliver | {"from": "2026-01-01T00:00:00Z", "eventTypes": ["a*b"]} | eventTypes[0]
          /v1/events/acme/e/redeliver     | {"subscription": ""}                    | subscription
          """)
  void badInputIsRefusedByNameAndChangesNothing(String path, String body, String field) {
    if (!service.get("/v1/subscriptions/bad", TOKEN).text("/id").equals("bad")) {
      rows.subscription("bad", "acme", "DISABLED");
    }
    long jobs = jdbc.sql("select count(*) from job").query(Long.class).single();

    Answer refused = post(path, body);

    assertThat(refused.status()).as(refused.body()).isEqualTo(400);
    assertThat(refused.text("/field")).isEqualTo(field == null ? "" : field);
    assertThat(jdbc.sql("select count(*) from job").query(Long.class).single()).isEqualTo(jobs);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /v1/dead-letters/999999999/replay",
    "POST, /v1/dead-letters/abc/replay",
    "DELETE, /v1/dead-letters/999999999",
    "GET, /v1/jobs/999999999",
    "POST, /v1/jobs/x/cancel",
    "POST, /v1/events/acme/none/redeliver"
  })
  void whatNeverWasIsNotFound(String method, String path) {
    assertThat(service.send(method, path, null, TOKEN).status()).isEqualTo(404);
  }

  @Test
  void isDescribed() {
    JsonNode paths = service.get("/v3/api-docs", TOKEN).json().get("paths");
    assertThat(paths.at("/~1v1~1dead-letters~1replay/post/responses").propertyNames())
        .contains("200", "202");
    assertThat(paths.at("/~1v1~1jobs~1{id}~1cancel/post").isMissingNode()).isFalse();
    assertThat(paths.at("/~1v1~1subscriptions~1{id}~1redeliver/post").isMissingNode()).isFalse();
    assertThat(paths.at("/~1v1~1events~1{tenant}~1{id}~1redeliver/post").isMissingNode()).isFalse();
  }
}
