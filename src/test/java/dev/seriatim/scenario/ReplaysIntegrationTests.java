package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** What was given up arrives after all. */
@ExtendWith(Pod.class)
class ReplaysIntegrationTests {

  private static final String ONCE =
      """
      {"maxAttempts": 1}""";

  /** Publishes a few that fail; the endpoint then works again. */
  private static void threeDead(Scenario scenario, String subscription, String ordering) {
    scenario.receiver.on("/" + subscription, Behaviour.always(500));
    scenario.subscribe(subscription, ordering, ONCE);
    scenario.publishLine(3, "r");
    Patience.until("three dead letters", () -> letters(scenario, subscription).size() == 3);
    scenario.awaitQueued(0);
    scenario.receiver.on("/" + subscription, request -> Reply.ok());
  }

  private static List<Long> letters(Scenario scenario, String subscription) {
    return scenario
        .pod()
        .get("/v1/dead-letters?subscription=" + subscription)
        .json()
        .get("items")
        .valueStream()
        .map(letter -> letter.get("id").asLong())
        .sorted()
        .toList();
  }

  private static JsonNode replay(Scenario scenario, long letter, String as) {
    Answer answer =
        scenario.pod().post("/v1/dead-letters/" + letter + "/replay", "{\"as\": \"" + as + "\"}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  private static List<Received> replays(Scenario scenario) {
    return scenario.receiver.log(request -> request.header("seriatim-replay").equals("true"));
  }

  @Test
  void withoutOrderTheyComeWithTheirIdsOrAsCopies(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "replay-none")) {
      threeDead(scenario, "replay-none", "NONE");
      List<Long> letters = letters(scenario, "replay-none");
      // They failed in no order.
      String event = pod.get("/v1/dead-letters/" + letters.get(0)).text("/event");

      replay(scenario, letters.get(0), "ORIGINAL");
      replay(scenario, letters.get(1), "NEW");
      scenario.receiver.awaitAcknowledged(2);
      scenario.awaitQueued(0);

      List<String> first =
          scenario.receiver.log(request -> request.header("seriatim-replay").isEmpty()).stream()
              .map(Received::webhookId)
              .toList();
      assertThat(replays(scenario)).hasSize(2).allMatch(request -> request.attempt() == 1);
      assertThat(replays(scenario)).filteredOn(r -> first.contains(r.webhookId())).hasSize(1);
      assertThat(scenario.state(event)).isEqualTo("DELIVERED");
    }
  }

  @Test
  void idleLaneGetsItsNumberAgainOrTheNextOne(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "replay-lane")) {
      threeDead(scenario, "replay-lane", "RESOURCE");
      List<Long> letters = letters(scenario, "replay-lane");

      replay(scenario, letters.get(1), "ORIGINAL");
      scenario.receiver.awaitAcknowledged(1);
      scenario.awaitQueued(0);
      replay(scenario, letters.get(0), "NEW");
      scenario.receiver.awaitAcknowledged(2);
      scenario.awaitQueued(0);

      assertThat(replays(scenario)).extracting(Received::sequence).containsExactly(2L, 4L);
      Received failed = scenario.receiver.log(request -> request.sequence() == 2).getFirst();
      assertThat(replays(scenario).getFirst().webhookId()).isEqualTo(failed.webhookId());
      assertThat(scenario.state("r-e2")).isEqualTo("DELIVERED");
    }
  }

  @Test
  void jobReplaysALaneInSequence(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "replay-job")) {
      threeDead(scenario, "replay-job", "RESOURCE");

      Answer started =
          pod.post("/v1/dead-letters/replay", "{\"subscription\": \"replay-job\", \"key\": \"r\"}");
      assertThat(started.status()).as(started.body()).isEqualTo(202);
      scenario.receiver.awaitAcknowledged(3);
      scenario.awaitQueued(0);

      assertThat(replays(scenario)).extracting(Received::sequence).containsExactly(1L, 2L, 3L);
      Patience.until(
          "the job is done",
          () -> pod.get(started.header("Location")).text("/state").equals("DONE"));
    }
  }
}
