package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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

/** What operators see of lanes, over real HTTP on a real PostgreSQL. */
@SpringBootTest(
    classes = OperationsServer.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.datasource.url=none")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LaneIntegrationTests {

  @LocalServerPort private int port;
  private final LaneRowsFixture rows;
  private final Fixture more;
  private Api api;

  @Autowired
  LaneIntegrationTests(JdbcClient jdbc) {
    this.rows = new LaneRowsFixture(jdbc);
    this.more = new Fixture(jdbc);
  }

  @BeforeEach
  void clear() {
    rows.clear();
    api = new Api(port);
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void oldestStuckKeyComesFirst() {
    long orders = rows.subscription("orders");
    rows.lane(orders, "fine", 5);
    rows.failing(rows.lane(orders, "young", 2), "1 minute");
    long stuck = rows.lane(orders, "stuck", 3);
    rows.failing(stuck, "3 hours");

    JsonNode lane = api.get("/v1/lanes?state=WAITING&sort=age&limit=1").at("/items/0");

    assertThat(lane.propertyNames())
        .containsExactly(
            "id",
            "tenant",
            "subscription",
            "key",
            "partition",
            "state",
            "depth",
            "oldestAgeSeconds",
            "head");
    assertThat(lane.get("id").asLong()).isEqualTo(stuck);
    assertThat(lane.get("tenant").asString()).isEqualTo("acme");
    assertThat(lane.get("subscription").asString()).isEqualTo("orders");
    assertThat(lane.get("key").asString()).isEqualTo("stuck");
    assertThat(lane.get("partition").asInt()).isEqualTo(5);
    assertThat(lane.get("state").asString()).isEqualTo("WAITING");
    assertThat(lane.get("depth").asInt()).isEqualTo(3);
    assertThat(lane.get("oldestAgeSeconds").asDouble()).isBetween(0.0, 600.0);
    JsonNode head = lane.get("head");
    assertThat(head.propertyNames())
        .containsExactly(
            "event",
            "eventType",
            "subscription",
            "sequence",
            "attempts",
            "lastVerdict",
            "firstAttemptAt",
            "nextAttemptAt",
            "enqueuedAt");
    assertThat(head.get("event").asString()).isEqualTo("e" + stuck + "-1");
    assertThat(head.get("sequence").asInt()).isEqualTo(1);
    assertThat(head.get("attempts").asInt()).isEqualTo(3);
    assertThat(head.get("lastVerdict").asString()).isEqualTo("SERVER_ERROR");
    assertThat(
            Duration.between(
                Instant.parse(head.get("firstAttemptAt").asString()),
                Instant.parse(head.get("enqueuedAt").asString())))
        .isBetween(Duration.ofHours(2), Duration.ofHours(3));
  }

  @Test
  void stateFollowsFromTheLaneAndItsHead() {
    long orders = rows.subscription("orders");
    long disabled = rows.subscription("disabled");
    rows.set("subscription set state = 'DISABLED', disabled_reason = '410' where id = 'disabled'");
    long active = rows.lane(orders, "active", 1);
    long waiting = rows.lane(orders, "waiting", 1);
    rows.failing(waiting, "1 minute");
    long parked = rows.lane(orders, "parked", 2);
    rows.held(parked, "OPERATOR", "1 hour");
    long exhausted = rows.lane(orders, "exhausted", 2);
    rows.failing(exhausted, "2 days");
    rows.held(exhausted, "POLICY", "1 day");
    rows.aside(exhausted);
    long gone = rows.lane(disabled, "gone", 2);
    rows.failing(gone, "1 minute");
    rows.aside(gone);
    rows.lane(orders, "nothing queued", 0);

    assertThat(ids("state=ACTIVE")).containsExactly(active);
    assertThat(ids("state=WAITING")).containsExactly(waiting);
    assertThat(ids("state=HELD")).containsExactly(exhausted, parked, gone);
    assertThat(ids("")).containsExactly(exhausted, parked, waiting, gone, active);

    JsonNode held = api.get("/v1/lanes?state=HELD").get("items");
    assertThat(held.findValuesAsString("heldBy"))
        .containsExactly("POLICY", "OPERATOR", "SUBSCRIPTION");
    assertThat(held.findValuesAsString("reason")).containsExactly("why", "why", "410");
    assertThat(held.valueStream().map(lane -> lane.has("heldSince")))
        .containsExactly(true, true, false);
    assertThat(held.valueStream().map(lane -> lane.get("state").asString())).containsOnly("HELD");
    assertThat(held.valueStream().map(lane -> lane.get("partition").asInt())).containsOnly(5);
  }

  /** A replay stands before the one that failed. */
  @Test
  void headIsTheLowestSequenceWhereverItStands() {
    long orders = rows.subscription("orders");
    long lane = rows.lane(orders, "k", 0);
    rows.append(lane, orders, 5);
    rows.failing(lane, "1 hour");
    rows.append(lane, orders, 3);
    rows.set("delivery set partition = ~partition where sequence = 3");

    assertThat(ids("state=WAITING")).isEmpty();
    assertThat(ids("state=ACTIVE")).containsExactly(lane);
    assertThat(api.get("/v1/lanes").at("/items/0/head/sequence").asInt()).isEqualTo(3);
  }

  @Test
  void sharedLaneIsHeldByTheSubscriptionOfItsHead() {
    long first = rows.subscription("first");
    long second = rows.subscription("second");
    long lane = rows.sharedLane("acme");
    rows.append(lane, first, 1);
    rows.append(lane, second, 2);
    rows.set("subscription set state = 'DISABLED', disabled_reason = 'r' where id = 'first'");

    JsonNode held = api.get("/v1/lanes?state=HELD").at("/items/0");
    assertThat(held.has("subscription")).isFalse();
    assertThat(held.at("/head/subscription").asString()).isEqualTo("first");
    assertThat(ids("subscription=first")).containsExactly(lane);
    assertThat(ids("subscription=second")).isEmpty();
    assertThat(ids("subscription=second&key=acme")).isEmpty();

    rows.set("subscription set state = 'DELETED', disabled_reason = null where id = 'first'");
    assertThat(ids("state=ACTIVE")).containsExactly(lane);
  }

  @Test
  void deletedSubscriptionHasNoLanes() {
    long orders = rows.subscription("orders");
    rows.failing(rows.lane(orders, "k", 1), "1 hour");
    rows.held(rows.lane(orders, "l", 1), "POLICY", "1 hour");
    rows.set("subscription set state = 'DELETED'");

    for (String state : List.of("", "state=WAITING", "state=HELD", "subscription=orders&key=k")) {
      assertThat(ids(state)).as(state).isEmpty();
    }
  }

  @Test
  void pausedPartitionIsShown() {
    long orders = rows.subscription("orders");
    rows.lane(orders, "k", 1);
    rows.set("partition set paused_at = now(), paused_reason = 'poison' where id = 5");

    assertThat(api.get("/v1/lanes").at("/items/0/partitionPausedReason").asString())
        .isEqualTo("poison");
  }

  @Test
  void filters() {
    long orders = rows.subscription("orders");
    long bills = rows.subscription("bills");
    long other = more.subscription("other", "umbrella", "ENABLED");
    long a = rows.lane(orders, "a", 1);
    long b = rows.lane(bills, "a", 1);
    long c = rows.lane(bills, "ü ö", 1);
    long d = more.lane("umbrella", other, "a");
    rows.append(d, other, 1);
    rows.failing(a, "2 hours");
    rows.failing(b, "1 hour");
    rows.failing(c, "3 hours");
    rows.failing(d, "4 hours");

    assertThat(ids("subscription=bills")).containsExactly(c, b);
    assertThat(ids("key=a")).containsExactly(d, a, b);
    assertThat(ids("subscription=bills&key=a")).containsExactly(b);
    assertThat(ids("subscription=bills&key=a&state=HELD")).isEmpty();
    assertThat(ids("subscription=bills&key=%C3%BC%20%C3%B6&state=WAITING")).containsExactly(c);
    assertThat(ids("subscription=bills&key=a&tenant=umbrella")).isEmpty();
    assertThat(ids("subscription=nobody&key=a")).isEmpty();
    assertThat(ids("tenant=umbrella&state=WAITING")).containsExactly(d);
    assertThat(ids("olderThan=PT90M")).containsExactly(d, c, a);
    assertThat(ids("olderThan=PT90M&state=WAITING&subscription=bills")).containsExactly(c);
    assertThat(ids("olderThan=P30D")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"state=WAITING", "state=HELD", "", "sort=depth", "state=HELD&sort=depth"})
  void pagesLeaveNothingOutAndRepeatNothing(String query) {
    long orders = rows.subscription("orders");
    long disabled = rows.subscription("disabled");
    rows.set("subscription set state = 'DISABLED', disabled_reason = 'r' where id = 'disabled'");
    for (int i = 0; i < 9; i++) {
      // Three of each age, and of each depth.
      long failing = rows.lane(orders, "f" + i, 1 + i % 3);
      rows.failing(failing, "0");
      rows.set(
          "delivery set partition = %d, first_attempt_at = '2026-01-0%d' where first_attempt_at is not null and lane_id = %d"
              .formatted(i % 2 == 0 ? i % 8 : ~(i % 8), 1 + i / 3, failing));
      long held = rows.lane(orders, "h" + i, 1 + i % 3);
      rows.held(held, "POLICY", "0");
      rows.set("lane set held_at = '2026-01-0%d' where id = %d".formatted(1 + i / 3, held));
      rows.lane(disabled, "d" + i, 1 + i % 3);
    }
    List<Long> whole = ids(query + "&limit=500");
    assertThat(whole).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(9);

    List<Long> paged = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = api.get("/v1/lanes?" + query + "&limit=4" + cursor);
      page.get("items").forEach(lane -> paged.add(lane.get("id").asLong()));
      cursor = page.has("nextCursor") ? "&cursor=" + page.get("nextCursor").asString() : "";
    } while (!cursor.isEmpty());

    assertThat(paged).isEqualTo(whole);
  }

  @Test
  void deepestComesFirstByDepth() {
    long orders = rows.subscription("orders");
    long two = rows.lane(orders, "two", 2);
    long five = rows.lane(orders, "five", 5);
    long three = rows.lane(orders, "three", 3);
    rows.failing(two, "1 hour");
    rows.failing(three, "1 minute");

    assertThat(ids("sort=depth")).containsExactly(five, three, two);
    assertThat(ids("sort=depth&state=WAITING&limit=1")).containsExactly(three);
    assertThat(api.get("/v1/lanes?sort=depth").get("items").findValuesAsString("depth"))
        .containsExactly("5", "3", "2");
  }

  @Test
  void oneLaneShowsWhatIsNextAndWhyItFails() {
    long orders = rows.subscription("orders");
    long lane = rows.lane(orders, "k", LaneQuery.LINE + 3);
    rows.failing(lane, "1 hour");
    var head =
        rows.row(
            "select event_pk, id from delivery where lane_id = %d and sequence = 1"
                .formatted(lane));
    long event = (long) head.get("event_pk");
    for (int attempt = 1; attempt <= RecentAttempts.MOST + 2; attempt++) {
      more.attempt(event, (long) head.get("id"), orders, attempt, "TIMEOUT");
    }

    JsonNode detail = api.get("/v1/lanes/" + lane);

    assertThat(detail.get("state").asString()).isEqualTo("WAITING");
    assertThat(detail.get("depth").asInt()).isEqualTo(LaneQuery.LINE + 3);
    assertThat(detail.get("line").size()).isEqualTo(LaneQuery.LINE);
    assertThat(detail.get("line").get(0)).isEqualTo(detail.get("head"));
    assertThat(detail.at("/line/1/sequence").asInt()).isEqualTo(2);
    assertThat(detail.at("/line/1").has("lastVerdict")).isFalse();
    assertThat(detail.get("recentAttempts").size()).isEqualTo(RecentAttempts.MOST);
    assertThat(detail.at("/recentAttempts/0/attempt").asInt()).isEqualTo(RecentAttempts.MOST + 2);
    assertThat(detail.at("/recentAttempts/0/verdict").asString()).isEqualTo("TIMEOUT");
  }

  @Test
  void emptyLaneHasNoHead() {
    long lane = rows.lane(rows.subscription("orders"), "k", 0);

    JsonNode detail = api.get("/v1/lanes/" + lane);

    assertThat(detail.propertyNames())
        .containsExactly(
            "id", "tenant", "subscription", "key", "state", "depth", "line", "recentAttempts");
    assertThat(detail.get("state").asString()).isEqualTo("ACTIVE");
    assertThat(detail.get("depth").asInt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1000000", "x", "-1", "99999999999999999999"})
  void unknownLaneIsNotFound(String id) {
    assertThat(api.refused(404, "GET", "/v1/lanes/" + id, null).get("detail").asString())
        .isEqualTo("There is no lane " + id);
  }

  @ParameterizedTest
  @CsvSource({
    "stat=HELD, stat",
    "state=held, state",
    "state=, state",
    "subscription=, subscription",
    "tenant=, tenant",
    "key=%00, key",
    "olderThan=5m, olderThan",
    "olderThan=-PT5M, olderThan",
    "olderThan=P99999999D, olderThan",
    "olderThan=P999999999999999999D, olderThan",
    "sort=AGE, sort",
    "sort=, sort",
    "limit=0, limit",
    "limit=501, limit",
    "cursor=!, cursor",
    // "12"; a place by depth; times before and after all that the database knows
    "cursor=MTI, cursor",
    "cursor=REVQVEgsMSwx, cursor",
    "cursor=QUdFLC05MjIzMzcyMDM2ODU0Nzc1ODA4LDE, cursor",
    "cursor=QUdFLDk5OTk5OTk5OTk5OTk5OTk5OTksMQ, cursor"
  })
  void badQueryParametersAreNamed(String query, String field) {
    JsonNode problem = api.refused(400, "GET", "/v1/lanes?" + query, null);
    assertThat(problem.path("field").asString("")).as(query).isEqualTo(field);
  }

  private List<Long> ids(String query) {
    return api.get("/v1/lanes?" + query)
        .get("items")
        .valueStream()
        .map(lane -> lane.get("id").asLong())
        .toList();
  }
}
