package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

@ExtendWith(Pod.class)
class SkippedHeadIntegrationTests {

  /** Nothing of the lane is left by which its owner could hear of it: the lane has to be named. */
  @Test
  void laneWhoseOnlyDeliveryIsSkippedGoesOnWithTheNextEvent(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "skipped-last")) {
      AtomicBoolean repaired = new AtomicBoolean();
      scenario.receiver.on(
          "/skipped-last", request -> repaired.get() ? Reply.ok() : Reply.status(500));
      scenario.subscribe("skipped-last", "RESOURCE", Scenario.LATER);
      scenario.publish("e1", "r");
      Patience.until(
          "the head waits", () -> lane(scenario).at("/state").asString().equals("WAITING"));

      Answer skipped =
          pod.post("/v1/lanes/" + lane(scenario).get("id").asLong() + "/skip", "{\"sequence\": 1}");
      assertThat(skipped.status()).as(skipped.body()).isEqualTo(200);
      repaired.set(true);
      scenario.publish("e2", "r");

      scenario.endsInOrder(0, Set.of(1L));
      assertThat(scenario.state("e1")).isEqualTo("DEAD");
      assertThat(scenario.state("e2")).isEqualTo("DELIVERED");
    }
  }

  private static JsonNode lane(Scenario scenario) {
    return scenario.pod().get("/v1/lanes?tenant=" + scenario.tenant).json().at("/items/0");
  }
}
