package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Order within a lane, and what one lane may do to others, through the whole service. */
@ExtendWith(Pod.class)
class LanesIntegrationTests {

  private static final long SEED = 7;

  private static Predicate<Received> key(String key) {
    return request -> request.header("seriatim-key").equals(key);
  }

  /** O1: reading ahead never sends ahead. */
  @Test
  void batchToOneLaneIsNeverTwoInFlight(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "o1")) {
      scenario.receiver.on("/o1", Behaviour.always(200).taking(Duration.ofMillis(5), SEED));
      scenario.subscribe("o1", "SUBSCRIPTION", Scenario.QUICK);

      scenario.publishLine(100, "r");
      scenario.receiver.awaitAcknowledged(100);

      assertThat(scenario.endsInOrder()).containsOnly(Map.entry(lane("o1", "o1"), 100L));
      assertThat(scenario.receiver.log()).hasSize(100);
    }
  }

  /** O2: the head of a fetched batch fails. */
  @Test
  void failingHeadKeepsTheRestOfItsBatchBack(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "o2")) {
      AtomicBoolean repaired = new AtomicBoolean();
      scenario.receiver.on("/o2", request -> repaired.get() ? Reply.ok() : Reply.status(500));
      scenario.subscribe("o2", "SUBSCRIPTION", Scenario.QUICK);

      scenario.publishLine(10, "r");
      scenario.receiver.awaitArrived(5, "attempts", request -> true);
      repaired.set(true);
      scenario.receiver.awaitAcknowledged(10);

      // That nothing came before the head's 2xx is part of it.
      assertThat(scenario.endsInOrder()).containsOnly(Map.entry(lane("o2", "o2"), 10L));
    }
  }

  /** O3: a head in back-off is not passed by what is published behind it. */
  @Test
  void waitingHeadKeepsLaterEventsOfItsLaneBack(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "o3")) {
      scenario.receiver.on("/o3", Behaviour.failingFirst(1).when(key("waiting")));
      scenario.subscribe("o3", "RESOURCE", Scenario.LATER);
      scenario.publish("head", "waiting");
      Patience.until("the head waits", () -> scenario.state("head").equals("WAITING"));

      scenario.publishLine(5, "waiting");
      // The same endpoint, so the same partition: what comes later than the five has come.
      for (int number = 1; number <= 20; number++) {
        scenario.publish("other" + number, "other");
      }
      scenario.receiver.awaitArrived(20, "events of the other lane", key("other"));

      assertThat(scenario.receiver.log(key("waiting"))).hasSize(1);
      assertThat(scenario.state("waiting-e1")).isEqualTo("QUEUED");
      scenario.delete("o3");
      scenario.endsInOrder(0, Scenario.upTo(1));
    }
  }

  /** O6, with 1,000 keys and up to 20 ms instead of 10,000 and 400 ms, to be quick enough. */
  @Test
  void threeEventsInARowOfEachKeyStayInOrder(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "o6")) {
      scenario.receiver.on("/o6", Behaviour.always(200).taking(Duration.ofMillis(20), SEED));
      scenario.subscribe("o6", "RESOURCE", Scenario.QUICK);
      List<String> events = new ArrayList<>();
      for (int number = 1; number <= 3; number++) {
        for (int key = 0; key < 1000; key++) {
          events.add(scenario.event("k" + key + "-" + number, "k" + key));
        }
      }

      for (int from = 0; from < events.size(); from += 500) {
        scenario.publishAll(events.subList(from, from + 500));
      }
      scenario.receiver.awaitAcknowledged(3000);

      assertThat(scenario.endsInOrder())
          .hasSize(1000)
          .allSatisfy((lane, last) -> assertThat(last).isEqualTo(3));
    }
  }

  /** I2: one lane of a thousand fails. */
  @Test
  void failingLaneLeavesTheOthersOfItsPartitionAlone(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "i2")) {
      scenario.receiver.on("/i2", Behaviour.always(500).when(key("bad")));
      scenario.subscribe("i2", "RESOURCE", Scenario.LATER);
      List<String> events = new ArrayList<>();
      for (int lap = 1; lap <= 2; lap++) {
        events.add(scenario.event("bad-" + lap, "bad"));
        for (int key = 1; key < 500; key++) {
          events.add(scenario.event("good" + key + "-" + lap, "good" + key));
        }
      }

      scenario.publishAll(events);
      scenario.receiver.awaitAcknowledged(998);

      assertThat(scenario.receiver.log(key("bad"))).hasSize(1);
      scenario.awaitQueued(2);
      assertThat(scenario.state("bad-1")).isEqualTo("WAITING");
      assertThat(scenario.state("bad-2")).isEqualTo("QUEUED");
      scenario.delete("i2");
      scenario.endsInOrder(0, Scenario.upTo(1));
    }
  }

  /** I4: one request of a batch hangs. */
  @Test
  void hangingRequestDoesNotHoldItsBatchBack(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "i4")) {
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/i4", gate.when(key("hanging")));
      scenario.subscribe("i4", "RESOURCE", Scenario.QUICK);
      List<String> events = new ArrayList<>();
      for (int lap = 1; lap <= 2; lap++) {
        events.add(scenario.event("hanging-" + lap, "hanging"));
        for (int key = 1; key < 100; key++) {
          events.add(scenario.event("free" + key + "-" + lap, "free" + key));
        }
      }

      scenario.publishAll(events);
      // All but the two behind the gate.
      scenario.receiver.awaitAcknowledged(198);
      scenario.awaitQueued(2);
      assertThat(scenario.receiver.log(key("hanging"))).hasSize(1);
      gate.open();
      scenario.receiver.awaitAcknowledged(200);

      assertThat(scenario.endsInOrder()).hasSize(100);
    }
  }

  /** I7: one event, two subscriptions, both fail at first. */
  @Test
  void subscriptionsOfOneEventAreRetriedIndependently(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "i7")) {
      scenario.receiver.on("/i7-once", Behaviour.failingFirst(1));
      scenario.receiver.on("/i7-thrice", Behaviour.failingFirst(3));
      scenario.subscribe("i7-once", "SUBSCRIPTION", Scenario.QUICK);
      scenario.subscribe("i7-thrice", "SUBSCRIPTION", Scenario.QUICK);

      scenario.publish("e1", "r");
      scenario.receiver.awaitAcknowledged(2);

      assertThat(scenario.endsInOrder()).hasSize(2);
      assertThat(scenario.receiver.log(request -> request.path().equals("/i7-once")))
          .extracting(Received::attempt)
          .containsExactly(1, 2);
      assertThat(scenario.receiver.log(request -> request.path().equals("/i7-thrice")))
          .extracting(Received::attempt)
          .containsExactly(1, 2, 3, 4);
      assertThat(scenario.status("e1").at("/deliveries"))
          .extracting(delivery -> delivery.get("attempts").intValue())
          .containsExactlyInAnyOrder(2, 4);
    }
  }

  private static Received.Lane lane(String subscription, String key) {
    return new Received.Lane(subscription, key);
  }
}
