package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestService;
import dev.seriatim.partition.WorkerName;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

class PartitionsEndpointIntegrationTests {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestService service =
      TestService.start(
          "seriatim.partitions.count=4",
          "seriatim.metrics.sample-every=100ms",
          "seriatim.targets.allow=127.0.0.0/8",
          "seriatim.lease.sweep-every=100ms");

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void showsWhoOwnsWhatAndHowFarBehindItIs() {
    // Nothing listens on the discard port: the delivery fails and waits for an hour.
    service.post(
        "/v1/subscriptions",
        """
        {"id": "s", "tenant": "t", "url": "http://127.0.0.1:9/", "retry": {"initialDelay": "PT1H"}}
        """);
    for (int i = 0; i < 3; i++) {
      service.post("/v1/events", "{\"tenant\": \"t\", \"type\": \"x\", \"payload\": 1}");
    }

    JsonNode behind =
        await()
            .atMost(PATIENCE)
            .until(
                this::deepest, partition -> partition.path("lanes").path("waiting").asInt() == 1);

    assertThat(behind.path("state").asString()).isEqualTo("ACTIVE");
    assertThat(behind.path("owner").asString()).isNotEmpty();
    assertThat(behind.path("epoch").asInt()).isEqualTo(1);
    Instant since = Instant.parse(behind.path("ownedSince").asString());
    assertThat(Instant.parse(behind.path("renewedAt").asString())).isAfterOrEqualTo(since);
    assertThat(behind.path("depth").asInt()).isEqualTo(3);
    assertThat(behind.path("keys").asInt()).isEqualTo(1);
    assertThat(behind.path("oldestAgeSeconds").isNumber()).isTrue();
    assertThat(behind.path("headAgeSeconds").isNumber()).isTrue();
    assertThat(behind.path("lanes").path("active").asInt()).isZero();
    assertThat(behind.has("countedAt")).isTrue();
    JsonNode reported =
        await().atMost(PATIENCE).until(this::deepest, partition -> partition.has("lastError"));
    assertThat(reported.path("inFlight").asInt()).isZero();
    assertThat(reported.path("deliveredPerSecond").asDouble()).isZero();
    assertThat(reported.path("lastError").path("verdict").asString()).isEqualTo("CONNECT_REFUSED");
    assertThat(reported.path("lastError").path("subscription").asString()).isEqualTo("s");
    assertThat(Instant.parse(reported.path("lastError").path("at").asString()))
        .isAfterOrEqualTo(since);
    assertThat(reported.path("lastError").has("status")).isFalse();

    service.post("/v1/subscriptions/s/disable", null);
    await().atMost(PATIENCE).until(() -> deepest().path("lanes").path("held").asInt() == 1);
  }

  @Test
  void showsTheLanesThatStandOut() {
    service.post(
        "/v1/subscriptions",
        """
        {"id": "s", "tenant": "t", "url": "http://127.0.0.1:9/", "ordering": "RESOURCE", "retry": {"initialDelay": "PT1H"}}
        """);
    for (String resource : new String[] {"first", "deep", "deep", "deep"}) {
      service.post(
          "/v1/events",
          "{\"tenant\": \"t\", \"type\": \"x\", \"resource\": \""
              + resource
              + "\", \"payload\": 1}");
    }
    JsonNode partition =
        await()
            .atMost(PATIENCE)
            .until(this::deepest, deepest -> deepest.path("lanes").path("waiting").asInt() == 2);

    for (String path :
        new String[] {"lanes", "partitions/" + partition.path("partition").asInt()}) {
      JsonNode lanes =
          await()
              .atMost(PATIENCE)
              .until(
                  () -> {
                    JsonNode answer = service.get("/actuator/" + path).json();
                    return answer.path("topLanes").isObject() ? answer.path("topLanes") : answer;
                  },
                  seen -> seen.at("/byDepth/0/depth").asInt() == 3);
      assertThat(lanes.path("byDepth").valueStream().map(lane -> lane.path("key").asString()))
          .containsExactly("deep", "first");
      assertThat(lanes.path("byAge").valueStream().map(lane -> lane.path("key").asString()))
          .containsExactlyInAnyOrder("deep", "first");
    }
    JsonNode one =
        service.get("/actuator/partitions/" + partition.path("partition").asInt()).json();
    assertThat(one.path("depth").asInt()).isEqualTo(4);
    assertThat(one.path("owner").asString()).isNotEmpty();
    assertThat(one.has("sampledAt")).isTrue();
    int other = (partition.path("partition").asInt() + 1) % 4;
    assertThat(service.get("/actuator/partitions/" + other).json().at("/topLanes/byAge").size())
        .isZero();
    assertThat(service.get("/actuator/partitions/4").status()).isEqualTo(404);
    assertThat(service.get("/actuator/partitions/-1").status()).isEqualTo(404);
    assertThat(service.get("/actuator/partitions/x").status()).isEqualTo(400);
  }

  @Test
  void showsWhatIsPausedAndHeld() {
    service.post(
        "/v1/subscriptions",
        """
        {"id": "s", "tenant": "t", "url": "http://127.0.0.1:9/", "retry": {"initialDelay": "PT1H"}}
        """);
    service.post("/v1/events", "{\"tenant\": \"t\", \"type\": \"x\", \"payload\": 1}");
    JsonNode lane =
        await()
            .atMost(PATIENCE)
            .until(
                () -> service.get("/v1/lanes?state=WAITING").json().path("items").path(0),
                item -> item.has("id"));
    int partition = lane.path("partition").asInt();

    service.post("/v1/lanes/" + lane.path("id").asLong() + "/park", null);
    service
        .bean(JdbcClient.class)
        .sql("update delivery set partition = ~partition where partition >= 0")
        .update();
    assertThat(
            service
                .post("/v1/partitions/" + partition + "/pause", "{\"reason\": \"poison\"}")
                .text("/state"))
        .isEqualTo("PAUSED");

    JsonNode paused =
        await()
            .atMost(PATIENCE)
            .until(this::deepest, deepest -> deepest.path("lanes").path("held").asInt() == 1);
    assertThat(paused.path("partition").asInt()).isEqualTo(partition);
    assertThat(paused.path("state").asString()).isEqualTo("PAUSED");
    assertThat(paused.path("pausedReason").asString()).isEqualTo("poison");
    assertThat(paused.has("pausedSince")).isTrue();
    assertThat(paused.path("owner").asString()).isNotEmpty();
    assertThat(paused.path("depth").asInt()).isEqualTo(1);
    assertThat(paused.path("lanes").path("waiting").asInt()).isZero();

    service.post("/v1/partitions/" + partition + "/resume", null);
    await()
        .atMost(PATIENCE)
        .until(
            this::deepest,
            deepest ->
                deepest.path("state").asString().equals("ACTIVE") && !deepest.has("pausedReason"));
  }

  @Test
  void showsThePods() {
    JsonNode workers =
        await()
            .atMost(PATIENCE)
            .until(
                () -> service.get("/actuator/partitions").json().path("workers"),
                seen -> seen.path(0).path("partitions").asInt() == 4);

    assertThat(workers.size()).isOne();
    JsonNode pod = workers.path(0);
    assertThat(pod.path("worker").asString()).isEqualTo(service.bean(WorkerName.class).value());
    assertThat(pod.path("crashDetection").asString()).isEqualTo("LOCK");
    Instant started = Instant.parse(pod.path("startedAt").asString());
    assertThat(Instant.parse(pod.path("seenAt").asString())).isAfterOrEqualTo(started);
  }

  @Test
  void countsWhatItOwns() {
    await().atMost(PATIENCE).until(() -> meter("seriatim.partitions.owned", "VALUE") == 4);

    assertThat(meter("seriatim.partitions.unowned", "VALUE")).isZero();
    assertThat(meter("seriatim.lease.trust", "VALUE")).isBetween(1.0, 28.0);
    assertThat(meter("seriatim.lease.transitions?tag=cause:claimed", "COUNT")).isEqualTo(4);
    assertThat(meter("seriatim.lease.takeovers", "COUNT")).isZero();
    assertThat(meter("seriatim.lease.suspensions", "COUNT")).isZero();
    assertThat(meter("seriatim.writes.fenced", "COUNT")).isZero();
    assertThat(meter("seriatim.lease.handover", "COUNT")).as("nobody had them before").isZero();
  }

  private double meter(String name, String statistic) {
    for (JsonNode measurement :
        service.get("/actuator/metrics/" + name).json().path("measurements")) {
      if (measurement.path("statistic").asString().equals(statistic)) {
        return measurement.path("value").asDouble();
      }
    }
    throw new AssertionError("no " + statistic + " of " + name);
  }

  @Test
  void keepsTheHistoryInATableOfItsDay() {
    JdbcClient jdbc = service.bean(JdbcClient.class);

    assertThat(
            jdbc.sql("select count(*) from pg_inherits where inhparent = 'attempt'::regclass")
                .query(Integer.class)
                .single())
        .isEqualTo(1 + 8);
    service.bean(AttemptDays.class).makeAhead();
  }

  private JsonNode deepest() {
    JsonNode deepest = null;
    for (JsonNode partition : service.get("/actuator/partitions").json().path("partitions")) {
      if (deepest == null || partition.path("depth").asInt() > deepest.path("depth").asInt()) {
        deepest = partition;
      }
    }
    return deepest;
  }
}
