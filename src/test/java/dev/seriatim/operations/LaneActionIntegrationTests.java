package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
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

/** What operators do with lanes, as it is left in the tables. */
@SpringBootTest(
    classes = OperationsServer.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.datasource.url=none")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LaneActionIntegrationTests {

  private static final String HEAD =
      "select attempts, first_attempt_at, next_attempt_at, own_wait_ms, last_verdict from delivery where lane_id = %d order by sequence limit 1";

  @LocalServerPort private int port;
  private final LaneRowsFixture rows;
  private final AtomicInteger looks;
  private Api api;
  private long orders;
  private long lane;

  @Autowired
  LaneActionIntegrationTests(JdbcClient jdbc, AtomicInteger looks) {
    this.rows = new LaneRowsFixture(jdbc);
    this.looks = looks;
  }

  @BeforeEach
  void clear() {
    rows.clear();
    orders = rows.subscription("orders");
    lane = rows.lane(orders, "k", 3);
    rows.failing(lane, "1 hour");
    looks.set(0);
    api = new Api(port);
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void parkedLaneIsHeldWithItsReason() {
    JsonNode answer = act("park", "{\"reason\": \"receiver migrates\"}");

    assertThat(answer.get("state").asString()).isEqualTo("HELD");
    assertThat(answer.get("heldBy").asString()).isEqualTo("OPERATOR");
    assertThat(answer.get("reason").asString()).isEqualTo("receiver migrates");
    assertThat(answer.has("heldSince")).isTrue();
    assertThat(answer.get("depth").asInt()).isEqualTo(3);
    assertOwnersLook(1);
    assertAudited("PARK_LANE");
    assertThat(api.get("/v1/audit?target=lane/" + lane).at("/items/0/detail/reason").asString())
        .isEqualTo("receiver migrates");

    assertThat(act("park", "{\"reason\": \"another\"}")).isEqualTo(age(answer));
    assertThat(act("park", null).get("reason").asString()).isEqualTo("receiver migrates");
    assertOwnersLook(1);
    assertAudited("PARK_LANE");
  }

  @Test
  void parkingNeedsNoReason() {
    assertThat(act("park", null).get("reason").asString()).isEqualTo("by operator");
    act("resume", null);
    assertThat(act("park", "{}").get("reason").asString()).isEqualTo("by operator");
  }

  @Test
  void laneOfAPolicyBecomesTheOperators() {
    rows.held(lane, "POLICY", "2 days");
    Object since = rows.row("select held_at from lane").get("held_at");

    assertThat(act("park", "{\"reason\": \"mine\"}").get("heldBy").asString())
        .isEqualTo("OPERATOR");

    assertThat(rows.row("select held_at, reason from lane"))
        .containsEntry("held_at", since)
        .containsEntry("reason", "mine");
    assertAudited("PARK_LANE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POLICY", "OPERATOR"})
  void resumedLaneGivesItsHeadANewStart(String by) {
    rows.held(lane, by, "1 minute");
    rows.aside(lane);

    JsonNode answer = act("resume", null);

    assertThat(answer.get("state").asString()).isEqualTo("ACTIVE");
    assertThat(answer.has("heldBy")).isFalse();
    assertThat(rows.row(HEAD.formatted(lane)))
        .containsEntry("attempts", 0)
        .containsEntry("first_attempt_at", null)
        .containsEntry("next_attempt_at", null)
        .containsEntry("own_wait_ms", null)
        .containsEntry("last_verdict", "SERVER_ERROR");
    assertOwnersLook(1);
    assertAudited("RESUME_LANE");
    assertThat(api.get("/v1/audit").at("/items/0/detail/heldBy").asString()).isEqualTo(by);

    assertThat(act("resume", null)).isEqualTo(age(answer));
    assertOwnersLook(1);
    assertAudited("RESUME_LANE");
  }

  @Test
  void resumingWhatIsNotHeldChangesNothing() {
    assertThat(act("resume", null).get("state").asString()).isEqualTo("WAITING");

    assertThat(rows.row(HEAD.formatted(lane))).containsEntry("attempts", 3);
    assertOwnersLook(0);
    assertAudited();
  }

  @Test
  void skippedHeadIsInTheDeadLetters() {
    JsonNode answer = act("skip", "{\"sequence\": 1}");

    assertThat(answer.get("state").asString()).isEqualTo("ACTIVE");
    assertThat(answer.at("/head/sequence").asInt()).isEqualTo(2);
    JsonNode letter = api.get("/v1/dead-letters").at("/items/0");
    assertThat(letter.get("event").asString()).isEqualTo("e" + lane + "-1");
    assertThat(letter.get("sequence").asInt()).isEqualTo(1);
    assertThat(letter.get("reason").asString()).isEqualTo("SKIPPED");
    assertThat(letter.get("attempts").asInt()).isEqualTo(3);
    assertThat(letter.get("lastVerdict").asString()).isEqualTo("SERVER_ERROR");
    assertThat(letter.has("firstAttemptAt")).isTrue();
    assertOwnersLook(1);
    assertAudited("SKIP_HEAD");
    JsonNode detail = api.get("/v1/audit").at("/items/0/detail");
    assertThat(detail.get("sequence").asInt()).isEqualTo(1);
    assertThat(detail.get("deadLetter").asLong()).isEqualTo(letter.get("id").asLong());

    assertThat(act("skip", "{\"sequence\": 1}")).isEqualTo(age(answer));
    assertThat(rows.count("dead_letter")).isOne();
    assertOwnersLook(1);
    assertAudited("SKIP_HEAD");
  }

  @Test
  void skippingWhatWasNeverAttemptedSaysSo() {
    act("skip", "{\"sequence\": 1}");
    act("skip", "{\"sequence\": 2}");

    JsonNode letter = api.get("/v1/dead-letters?limit=1").at("/items/0");
    assertThat(letter.get("attempts").asInt()).isZero();
    assertThat(letter.get("lastVerdict").asString()).isEqualTo("NOT_ATTEMPTED");
    assertThat(letter.has("firstAttemptAt")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"POLICY, ACTIVE", "OPERATOR, HELD"})
  void skippingLetsOnlyALaneOfItsPolicyGoOn(String by, String state) {
    rows.held(lane, by, "1 minute");
    rows.aside(lane);

    assertThat(act("skip", "{\"sequence\": 1}").get("state").asString()).isEqualTo(state);

    assertOwnersLook(1);
    assertThat(rows.count("delivery where lane_id = " + lane)).isEqualTo(2);
  }

  /** Something came back ahead of the delivery that ran out of attempts. */
  @Test
  void whatHoldsTheLaneIsLookedForBehindWhatCameBack() {
    rows.held(lane, "POLICY", "1 minute");
    rows.set("delivery set sequence = sequence + 10 where lane_id = " + lane);
    rows.append(lane, orders, 4);

    assertThat(act("skip", "{\"sequence\": 4}").get("state").asString()).isEqualTo("HELD");

    rows.append(lane, orders, 5);
    act("resume", null);
    assertThat(rows.count("delivery where sequence = 11 and attempts = 0")).isOne();
  }

  @Test
  void onlyTheHeadCanBeSkipped() {
    JsonNode problem = api.refused(409, "POST", "/v1/lanes/" + lane + "/skip", "{\"sequence\": 2}");

    assertThat(problem.get("detail").asString())
        .isEqualTo(
            "The head of lane %d is sequence 1, not 2: only the head can be skipped"
                .formatted(lane));
    assertThat(rows.count("delivery")).isEqualTo(3);
    assertAudited();

    rows.set("lane set last_sequence = 4");
    List.of(1, 2, 3).forEach(sequence -> act("skip", "{\"sequence\": %d}".formatted(sequence)));
    assertThat(act("skip", "{\"sequence\": 4}").get("depth").asInt()).as("delivered").isZero();
    assertThat(
            api.refused(409, "POST", "/v1/lanes/" + lane + "/skip", "{\"sequence\": 5}")
                .get("detail")
                .asString())
        .isEqualTo("Lane %d has nothing queued and has not had a sequence 5 yet".formatted(lane));
  }

  @Test
  void retriedHeadIsDueAtOnce() {
    JsonNode answer = act("retry", null);

    assertThat(answer.get("state").asString()).isEqualTo("WAITING");
    assertThat(rows.count("delivery where next_attempt_at <= clock_timestamp()")).isOne();
    assertThat(rows.row(HEAD.formatted(lane)))
        .containsEntry("attempts", 3)
        .containsEntry("own_wait_ms", null);
    assertOwnersLook(1);
    assertAudited("RETRY_HEAD");

    assertThat(act("retry", null)).isEqualTo(age(answer));
    assertOwnersLook(1);
    assertAudited("RETRY_HEAD");
  }

  @Test
  void retryingWhatIsNotThereOrNeverFailedChangesNothing() {
    long empty = rows.lane(orders, "empty", 0);
    long fresh = rows.lane(orders, "fresh", 1);

    assertThat(api.post("/v1/lanes/" + empty + "/retry", null).get("depth").asInt()).isZero();
    assertThat(api.post("/v1/lanes/" + fresh + "/retry", null).get("state").asString())
        .isEqualTo("ACTIVE");
    assertAudited();
  }

  @Test
  void heldHeadIsNotRetriedAndTheAnswerSaysWhatToDo() {
    rows.held(lane, "POLICY", "1 minute");
    assertThat(refusedRetry()).contains("resume it with POST /v1/lanes/%d/resume".formatted(lane));

    act("resume", null);
    rows.failing(lane, "1 hour");
    rows.set("partition set paused_at = now(), paused_reason = 'r' where id = 5");
    assertThat(refusedRetry()).contains("resume it with POST /v1/partitions/5/resume");

    rows.set("subscription set state = 'DISABLED', disabled_reason = 'r'");
    assertThat(refusedRetry()).contains("enable it with POST /v1/subscriptions/orders/enable");
    assertThat(rows.count("delivery where next_attempt_at <= clock_timestamp()")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "park   | {\"reason\": \"\"}       | reason",
        "park   | {\"reason\": \"a\\nb\"}  | reason",
        "park   | {\"reason\": 1}          | reason",
        "park   | {\"raeson\": \"x\"}      | raeson",
        "skip   | {\"sequence\": 0}        | sequence",
        "skip   | {\"sequence\": \"1\"}    | sequence",
        "skip   | {\"sequence\": null}     | sequence",
        "skip   | {}                       | sequence",
        "skip   |                          | sequence",
        "skip   | {\"sequence\":1,\"as\":1}| as"
      })
  void badBodiesAreNamedAndChangeNothing(String action, String body, String field) {
    JsonNode problem = api.refused(400, "POST", "/v1/lanes/" + lane + "/" + action, body);

    assertThat(problem.path("field").asString("")).isEqualTo(field);
    assertThat(rows.count("lane where state = 'HELD'")).isZero();
    assertThat(rows.count("delivery")).isEqualTo(3);
    assertAudited();
  }

  @ParameterizedTest
  @ValueSource(strings = {"park", "resume", "skip", "retry"})
  void unknownLaneIsNotFound(String action) {
    String body = action.equals("skip") ? "{\"sequence\": 1}" : null;
    api.refused(404, "POST", "/v1/lanes/1000000/" + action, body);
    api.refused(404, "POST", "/v1/lanes/x/" + action, body);
    assertAudited();
  }

  private JsonNode act(String action, String body) {
    return age(api.post("/v1/lanes/" + lane + "/" + action, body));
  }

  /** Without what changes by itself. */
  private static JsonNode age(JsonNode lane) {
    ((tools.jackson.databind.node.ObjectNode) lane).remove("oldestAgeSeconds");
    return lane;
  }

  private String refusedRetry() {
    return api.refused(409, "POST", "/v1/lanes/" + lane + "/retry", null).get("detail").asString();
  }

  /** That many transactions changed something; the last of them is the lane's. */
  private void assertOwnersLook(int times) {
    assertThat(looks).hasValue(times);
    assertThat(rows.count("lane where changed_tx is not null and id = " + lane))
        .isEqualTo(Math.min(times, 1));
  }

  private void assertAudited(String... actions) {
    assertThat(api.get("/v1/audit?target=lane/" + lane).get("items").findValuesAsString("action"))
        .containsExactly(actions);
  }
}
