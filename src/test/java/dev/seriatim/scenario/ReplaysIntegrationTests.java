package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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

  /** Ahead of a head that fails and waits for long, and once, whoever else asks: O10. */
  @Test
  void originalGoesAheadOfAFailingHeadOnceAndTheHeadGoesOnWaiting(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "replay-ahead")) {
      Hands hands = new Hands(scenario);
      AtomicBoolean mended = new AtomicBoolean();
      scenario.receiver.on(
          "/replay-ahead", request -> mended.get() ? Reply.ok() : Reply.status(500));
      scenario.subscribe("replay-ahead", "RESOURCE", ONCE);
      scenario.publishLine(2, "r");
      Patience.until("two are dead", () -> hands.deadLetters("replay-ahead").size() == 2);
      scenario.patch("replay-ahead", "{\"retry\": " + Scenario.LATER + "}");
      scenario.awaitChangesHeard();
      scenario.publish("r-e3", "r");
      scenario.publish("r-e4", "r");
      Patience.until("the head waits", () -> scenario.state("r-e3").equals("WAITING"));
      mended.set(true);

      JsonNode letter = hands.deadLetters("replay-ahead").get(0);
      JsonNode second = hands.deadLetters("replay-ahead").get(1);
      Hands.twice(() -> hands.replay(letter, "ORIGINAL"));
      hands.replay(second, "ORIGINAL");
      scenario.awaitQueued(2);

      assertThat(scenario.state("r-e1")).isEqualTo("DELIVERED");
      assertThat(scenario.state("r-e3")).isEqualTo("WAITING");
      assertThat(hands.audited("dead-letter/" + letter.get("id").asLong(), "REPLAY_DEAD_LETTER"))
          .isOne();
      hands.retry(hands.lane("r-e3"));
      assertThat(scenario.endsInOrder(0, Set.of(1L, 2L))).containsValue(4L);
      List<Received> log = scenario.receiver.log(Scenario.isCanary().negate());
      assertThat(log).extracting(Received::sequence).containsExactly(1L, 2L, 3L, 1L, 2L, 3L, 4L);
      assertThat(replays(scenario))
          .extracting(Received::webhookId)
          .containsExactlyElementsOf(log.stream().limit(2).map(Received::webhookId).toList());
    }
  }

  /** With the number it had ahead of the tail, and as a copy behind it. */
  @Test
  void laneWithATailTakesOriginalsAheadOfItAndCopiesBehind(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "replay-tail")) {
      Hands hands = new Hands(scenario);
      threeDead(scenario, "replay-tail", "RESOURCE");
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/replay-tail", gate.when(request -> request.sequence() == 4));
      for (int number = 4; number <= 8; number++) {
        scenario.publish("r-e" + number, "r");
      }
      scenario.receiver.awaitArrived(1, "head", request -> request.sequence() == 4);

      List<JsonNode> letters = hands.deadLetters("replay-tail");
      hands.replay(letters.get(2), "ORIGINAL");
      hands.replay(letters.get(0), "NEW");
      hands.replay(letters.get(1), "ORIGINAL");
      scenario.publish("r-e10", "r");
      // What is under way is not called back.
      assertThat(replays(scenario)).isEmpty();
      gate.open();

      assertThat(scenario.endsInOrder(0, Set.of(1L, 2L, 3L))).containsValue(10L);
      assertThat(scenario.receiver.log(Received::acknowledged))
          .extracting(Received::sequence)
          .containsExactly(4L, 2L, 3L, 5L, 6L, 7L, 8L, 9L, 10L);
      assertThat(replays(scenario)).extracting(Received::sequence).containsExactly(2L, 3L, 9L);
      assertThat(replays(scenario).getLast().webhookId())
          .isNotEqualTo(scenario.receiver.log().getFirst().webhookId());
      assertThat(replays(scenario).getLast().eventId()).isEqualTo("r-e1");
    }
  }

  @Test
  void replayIntoAHeldLaneWaitsInItsPlace(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "replay-held")) {
      Hands hands = new Hands(scenario);
      threeDead(scenario, "replay-held", "RESOURCE");
      long lane = hands.lane("r-e1");
      hands.park(lane);
      scenario.publish("r-e4", "r");

      hands.replay(hands.deadLetters("replay-held").get(1), "ORIGINAL");
      hands.awaitAside(lane, 2);
      assertThat(scenario.state("r-e2")).isEqualTo("HELD");
      assertThat(scenario.receiver.log()).hasSize(3);
      hands.resume(lane);

      assertThat(scenario.endsInOrder(0, Set.of(1L, 2L, 3L))).containsValue(4L);
      assertThat(scenario.receiver.log(Received::acknowledged))
          .extracting(Received::sequence)
          .containsExactly(2L, 4L);
    }
  }
}
