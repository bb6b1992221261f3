package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** What operators do with partitions, as it is left in the tables. */
@SpringBootTest(
    classes = OperationsServer.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.datasource.url=none")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartitionActionIntegrationTests {

  @LocalServerPort private int port;
  private final LaneRowsFixture rows;
  private final AtomicInteger looks;
  private Api api;

  @Autowired
  PartitionActionIntegrationTests(JdbcClient jdbc, AtomicInteger looks) {
    this.rows = new LaneRowsFixture(jdbc);
    this.looks = looks;
  }

  @BeforeEach
  void clear() {
    rows.clear();
    looks.set(0);
    api = new Api(port);
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void pausedPartitionTellsWhyAndSinceWhen() {
    rows.set("partition set lease_until = now() + interval '1 hour', worker = 'pod' where id = 5");

    JsonNode paused = api.post("/v1/partitions/5/pause", "{\"reason\": \"poison\"}");

    assertThat(paused.propertyNames())
        .containsExactly("partition", "state", "pausedReason", "pausedSince");
    assertThat(paused.get("partition").asInt()).isEqualTo(5);
    assertThat(paused.get("state").asString()).isEqualTo("PAUSED");
    assertThat(paused.get("pausedReason").asString()).isEqualTo("poison");
    assertThat(api.post("/v1/partitions/5/pause", "{\"reason\": \"other\"}")).isEqualTo(paused);
    assertThat(rows.count("partition where paused_at is not null")).isOne();
    assertThat(looks).hasValue(1);
    assertAudited("PAUSE_PARTITION");

    JsonNode resumed = api.post("/v1/partitions/5/resume", null);

    assertThat(resumed.propertyNames()).containsExactly("partition", "state");
    assertThat(resumed.get("state").asString()).isEqualTo("ACTIVE");
    assertThat(api.post("/v1/partitions/5/resume", null)).isEqualTo(resumed);
    assertThat(looks).hasValue(2);
    assertAudited("RESUME_PARTITION", "PAUSE_PARTITION");
    JsonNode detail = api.get("/v1/audit?limit=1").at("/items/0/detail");
    assertThat(detail.get("reason").asString()).isEqualTo("poison");
    assertThat(detail.get("newStarts").asInt()).isZero();
  }

  @Test
  void partitionThatNobodyOwnsCanBePaused() {
    JsonNode paused = api.post("/v1/partitions/0/pause", null);

    assertThat(paused.get("state").asString()).isEqualTo("UNOWNED");
    assertThat(paused.get("pausedReason").asString()).isEqualTo("by operator");
  }

  @Test
  void resumingGivesANewStartToWhatPausedIt() {
    long pausing = rows.subscription("pausing");
    rows.set("subscription set on_exhausted = 'PAUSE', max_attempts = 3, max_age_ms = 86400000");
    long ejecting = rows.subscription("ejecting");
    rows.set("subscription set max_attempts = 3 where id = 'ejecting'");
    long exhausted = failing(pausing, "exhausted", "1 minute");
    long tooOld = failing(pausing, "too old", "25 hours");
    rows.set("delivery set attempts = 2 where attempts > 0 and lane_id = " + tooOld);
    rows.aside(tooOld);
    long waits = failing(pausing, "waits", "1 minute");
    rows.set("delivery set attempts = 2 where attempts > 0 and lane_id = " + waits);
    long another = failing(ejecting, "another policy", "1 minute");
    long elsewhere = failing(pausing, "elsewhere", "1 minute");
    rows.set("delivery set partition = 6 where lane_id = " + elsewhere);
    long unordered = failing(pausing, "unordered", "1 minute");
    rows.set(
        "delivery set lane_id = null, sequence = null where attempts > 0 and lane_id = "
            + unordered);
    rows.set("partition set paused_at = now(), paused_reason = 'r' where id in (5, 6)");

    api.post("/v1/partitions/5/resume", null);

    assertThat(rows.count("delivery where first_attempt_at is null and last_verdict is not null"))
        .isEqualTo(3);
    assertThat(
            rows.count(
                "delivery where attempts = 0 and next_attempt_at is null and own_wait_ms is null and last_verdict is not null and (lane_id is null or lane_id in (%d, %d))"
                    .formatted(exhausted, tooOld)))
        .isEqualTo(3);
    assertThat(
            rows.count("delivery where attempts = 2 and lane_id = " + waits)
                + rows.count("delivery where attempts = 3 and lane_id = " + another)
                + rows.count("delivery where attempts = 3 and lane_id = " + elsewhere))
        .isEqualTo(3);
    assertThat(
            rows.count(
                "lane where changed_tx is not null and id in (%d, %d)"
                    .formatted(exhausted, tooOld)))
        .isEqualTo(rows.count("lane where changed_tx is not null"))
        .isEqualTo(2);
    assertThat(rows.count("partition where paused_at is not null")).isOne();
    assertThat(api.get("/v1/audit").at("/items/0/detail/newStarts").asInt()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"8", "-1", "x", "4294967301", "99999999999999999999"})
  void unknownPartitionIsNotFound(String partition) {
    for (String action : new String[] {"pause", "resume"}) {
      JsonNode problem =
          api.refused(404, "POST", "/v1/partitions/" + partition + "/" + action, null);
      assertThat(problem.get("detail").asString())
          .isEqualTo("There is no partition " + partition + "; they count from 0");
    }
    assertAudited();
  }

  @Test
  void badReasonIsNamed() {
    assertThat(
            api.refused(400, "POST", "/v1/partitions/5/pause", "{\"reason\": \" \"}")
                .get("field")
                .asString())
        .isEqualTo("reason");
    assertThat(rows.count("partition where paused_at is not null")).isZero();
  }

  private long failing(long subscription, String key, String ago) {
    long lane = rows.lane(subscription, key, 2);
    rows.failing(lane, ago);
    return lane;
  }

  private void assertAudited(String... actions) {
    assertThat(api.get("/v1/audit").get("items").findValuesAsString("action"))
        .containsExactly(actions);
  }
}
