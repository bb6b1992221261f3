package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * What becomes of queued deliveries when their subscription changes, and when they are hopeless.
 */
@ExtendWith(Pod.class)
class SubscriptionChangesIntegrationTests {

  @Test
  void disablingHoldsWhatIsQueuedAndEnablingResumesItInOrder(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "disabling")) {
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/disabling", gate.when(request -> request.sequence() == 1));
      scenario.subscribe("disabling", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publishLine(10, "r");
      scenario.receiver.awaitArrived(1, "head", request -> request.sequence() == 1);

      scenario.disable("disabling");
      Answer unmatched = scenario.publish("while-disabled", "r");
      scenario.awaitChangesHeard();
      gate.open();
      scenario.awaitQueued(9);
      scenario.awaitChangesHeard();

      assertThat(unmatched.json().get("deliveries")).isEmpty();
      assertThat(scenario.state("r-e1")).isEqualTo("DELIVERED");
      assertThat(scenario.state("r-e2")).isEqualTo("HELD");
      assertThat(scenario.state("r-e10")).isEqualTo("HELD");
      assertThat(scenario.receiver.log(Scenario.isCanary().negate())).hasSize(1);
      scenario.enable("disabling");
      scenario.awaitQueued(0);

      assertThat(scenario.endsInOrder()).hasSize(1).containsValue(10L);
    }
  }

  /** Disabled while the head waits for its retry: held past the time it was due. */
  @Test
  void retryThatFallsDueWhileDisabledIsHeld(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "due-held")) {
      AtomicBoolean repaired = new AtomicBoolean();
      scenario.receiver.on("/due-held", request -> repaired.get() ? Reply.ok() : Reply.status(500));
      scenario.subscribe("due-held", "RESOURCE", Scenario.QUICK);
      scenario.publishLine(3, "r");
      scenario.receiver.awaitArrived(2, "attempts", request -> true);

      scenario.disable("due-held");
      scenario.awaitChangesHeard();
      repaired.set(true);
      // Retries were at most 0.2 s apart, and each of these takes a poll at least.
      scenario.awaitChangesHeard();
      scenario.awaitChangesHeard();

      assertThat(scenario.receiver.log(Scenario.isCanary().negate()))
          .noneMatch(Received::acknowledged);
      scenario.enable("due-held");
      scenario.awaitQueued(0);
      assertThat(scenario.endsInOrder()).hasSize(1).containsValue(3L);
    }
  }

  @ParameterizedTest
  @CsvSource({"SUBSCRIPTION, delete-one-lane", "NONE, delete-no-lane", "RESOURCE, delete-lanes"})
  void deletingCancelsThousandsThatAreQueued(String ordering, String tenant, TestService pod) {
    try (Scenario scenario = Scenario.on(pod, tenant)) {
      Gate gate = new Gate(Behaviour.always(500));
      scenario.receiver.on("/" + tenant, gate);
      scenario.subscribe(tenant, ordering, Scenario.LATER);
      for (int batch = 0; batch < 5; batch++) {
        List<String> events = new ArrayList<>();
        for (int number = 0; number < 1000; number++) {
          events.add(scenario.event("b" + batch + "-" + number, "r" + number % 500));
        }
        scenario.publishAll(events);
      }
      scenario.receiver.awaitArrived(1, "head", request -> true);

      scenario.delete(tenant);
      scenario.awaitChangesHeard();
      gate.open();
      scenario.awaitQueued(0);

      assertThat(scenario.state("b0-0")).isEqualTo("CANCELLED");
      assertThat(scenario.state("b4-999")).isEqualTo("CANCELLED");
      assertThat(scenario.publish("later", "r1").json().get("deliveries")).isEmpty();
      scenario.endsInOrder(0, Scenario.upTo(5000));
    }
  }

  /** Deleted in the middle of quick sending, when some are just about to be sent. */
  @ParameterizedTest
  @CsvSource({"SUBSCRIPTION, delete-busy-lane", "NONE, delete-busy-none"})
  void deletingUnderTrafficLeavesNothingBehind(String ordering, String tenant, TestService pod) {
    try (Scenario scenario = Scenario.on(pod, tenant)) {
      scenario.subscribe(tenant, ordering, Scenario.LATER);
      scenario.publishLine(1000, "a");
      scenario.publishLine(1000, "b");
      scenario.receiver.awaitArrived(100, "requests", request -> true);

      scenario.delete(tenant);
      scenario.awaitQueued(0);

      scenario.endsInOrder(0, Set.of());
    }
  }

  @Test
  void laneSharedByTheTenantGoesOnWithoutTheDeletedSubscription(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "shared-lane")) {
      scenario.receiver.on("/shared/leaving", Behaviour.always(500));
      scenario.subscribe("leaving", "/shared/leaving", "TENANT", Scenario.LATER);
      scenario.subscribe("staying", "/shared/staying", "TENANT", Scenario.LATER);
      scenario.publishLine(50, "r");
      Patience.until("the lane waits", () -> waits(scenario));

      scenario.delete("leaving");
      scenario.awaitQueued(0);

      assertThat(scenario.receiver.log(request -> request.path().equals("/shared/staying")))
          .hasSize(50)
          .allMatch(Received::acknowledged);
      Set<Long> leaving =
          Set.copyOf(
              scenario
                  .jdbc()
                  .sql(
                      """
                      select (d ->> 'sequence')::bigint from event e, jsonb_array_elements(e.deliveries) d
                      where e.tenant = :tenant and d ->> 'subscription' = 'leaving'
                      """)
                  .param("tenant", scenario.tenant)
                  .query(Long.class)
                  .list());
      assertThat(leaving).hasSize(50);
      assertThat(scenario.endsInOrder(0, leaving)).hasSize(1);
    }
  }

  private static boolean waits(Scenario scenario) {
    for (JsonNode delivery : scenario.status("r-e1").at("/deliveries")) {
      if (delivery.get("state").stringValue().equals("WAITING")) {
        return true;
      }
    }
    return false;
  }

  @Test
  void goneDisablesTheSubscriptionAndHoldsItsLanes(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "gone")) {
      AtomicBoolean back = new AtomicBoolean();
      scenario.receiver.on(
          "/gone",
          request -> request.sequence() < 3 || back.get() ? Reply.ok() : Reply.status(410));
      scenario.subscribe("gone", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publishLine(6, "r");

      Patience.until(
          "the subscription is disabled",
          () -> scenario.subscription("gone").at("/state").asString("").equals("DISABLED"));
      scenario.awaitChangesHeard();

      assertThat(scenario.subscription("gone").at("/disabledReason").asString("")).contains("410");
      assertThat(scenario.state("r-e3")).isEqualTo("HELD");
      assertThat(scenario.queued()).isEqualTo(4);
      assertThat(scenario.receiver.log(Scenario.isCanary().negate())).hasSize(3);
      back.set(true);
      scenario.enable("gone");
      scenario.awaitQueued(0);

      assertThat(scenario.endsInOrder()).hasSize(1).containsValue(6L);
      assertThat(scenario.receiver.log(Scenario.isCanary().negate())).hasSize(7);
    }
  }

  @Test
  void newUrlHoldsForRetriesThatAreWaiting(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "moving")) {
      scenario.receiver.on("/moving", Behaviour.always(500));
      scenario.subscribe("moving", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publishLine(3, "r");
      scenario.receiver.awaitArrived(1, "attempt at the old URL", request -> true);

      scenario.patch("moving", "{\"url\": \"" + scenario.receiver.url("/moved") + "\"}");
      scenario.receiver.awaitAcknowledged(3);

      assertThat(scenario.endsInOrder()).hasSize(1).containsValue(3L);
      assertThat(scenario.receiver.log(Received::acknowledged))
          .allMatch(request -> request.path().equals("/moved"));
    }
  }

  @Test
  void exhaustedDeliveryBecomesADeadLetterAndItsLaneGoesOn(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "dead")) {
      scenario.receiver.on("/dead", Behaviour.always(503).when(request -> request.sequence() == 2));
      scenario.subscribe(
          "dead",
          "SUBSCRIPTION",
          """
          {"maxAttempts": 3, "initialDelay": "PT0.01S", "maxDelay": "PT0.05S"}""");
      scenario.publishLine(4, "r");
      scenario.receiver.awaitAcknowledged(3);

      Map<Received.Lane, Long> last = scenario.endsInOrder(0, Set.of(2L));
      assertThat(last).hasSize(1).containsValue(4L);
      assertThat(scenario.receiver.log(request -> request.sequence() == 2)).hasSize(3);
      assertThat(scenario.state("r-e2")).isEqualTo("DEAD");
      assertThat(scenario.state("r-e3")).isEqualTo("DELIVERED");
      JsonNode letters = pod.get("/v1/dead-letters?tenant=dead").json().get("items");
      assertThat(letters).hasSize(1);
      JsonNode letter = letters.get(0);
      assertThat(letter.get("reason").stringValue()).isEqualTo("ATTEMPTS_EXHAUSTED");
      assertThat(letter.get("lastVerdict").stringValue()).isEqualTo("SERVER_ERROR");
      assertThat(letter.get("event").stringValue()).isEqualTo("r-e2");
      assertThat(letter.get("sequence").longValue()).isEqualTo(2);
      assertThat(letter.get("attempts").intValue()).isEqualTo(3);
    }
  }
}
