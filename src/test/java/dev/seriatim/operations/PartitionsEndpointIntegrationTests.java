package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestService;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

class PartitionsEndpointIntegrationTests {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestService service =
      TestService.start(
          "seriatim.partitions.count=4",
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
    assertThat(behind.path("depth").asInt()).isEqualTo(3);
    assertThat(behind.path("keys").asInt()).isEqualTo(1);
    assertThat(behind.path("oldestAgeSeconds").isNumber()).isTrue();
    assertThat(behind.path("headAgeSeconds").isNumber()).isTrue();

    service.post("/v1/subscriptions/s/disable", null);
    await().atMost(PATIENCE).until(() -> deepest().path("lanes").path("held").asInt() == 1);
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
