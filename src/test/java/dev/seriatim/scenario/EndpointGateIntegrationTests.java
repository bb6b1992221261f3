package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What protects an endpoint, and others from it, through the whole service. */
class EndpointGateIntegrationTests {

  private static final String[] SENSITIVE = {
    "seriatim.delivery.breaker.window=5",
    "seriatim.delivery.breaker.minimum-attempts=5",
    "seriatim.delivery.breaker.open-for=PT0.3S",
    "seriatim.delivery.breaker.max-open-for=PT0.6S"
  };

  private static final String[] LONG_OPEN = {
    "seriatim.delivery.breaker.window=5",
    "seriatim.delivery.breaker.minimum-attempts=5",
    "seriatim.delivery.breaker.open-for=PT30M",
    "seriatim.delivery.breaker.max-open-for=PT30M"
  };

  /** I6: what waits for the circuit to close uses no attempt; half-open is one probe at a time. */
  @Test
  void openCircuitUsesNoAttemptsAndHalfOpenSendsOneProbe() {
    try (TestService pod = Pod.start(SENSITIVE);
        Scenario scenario = Scenario.on(pod, "probe")) {
      AtomicBoolean repaired = new AtomicBoolean();
      scenario.receiver.on(
          "/probe",
          ((Behaviour) request -> repaired.get() ? Reply.ok() : Reply.status(500))
              .taking(Duration.ofMillis(20), 3));
      scenario.subscribe(limited(scenario, "probe", 4, Scenario.QUICK, ""));
      scenario.publishAll(events(scenario, "k", 40));

      // Five failures and what was under way beside the last of them; then probes.
      scenario.receiver.awaitArrived(14, "attempts", request -> true);
      repaired.set(true);
      scenario.receiver.awaitAcknowledged(40);

      List<Received> failed = scenario.receiver.log(request -> request.status() == 500);
      List<Received> probes = failed.subList(8, failed.size());
      assertThat(probes).isNotEmpty();
      for (int i = 1; i < probes.size(); i++) {
        assertThat(probes.get(i).arrivedAt()).isGreaterThan(probes.get(i - 1).completedAt());
      }
      assertThat(scenario.receiver.log(Received::acknowledged))
          .as("those that only waited are sent for the first time")
          .filteredOn(request -> request.attempt() == 1)
          .hasSizeGreaterThanOrEqualTo(40 - failed.size());
      assertThat(scenario.endsInOrder()).hasSize(40);
      Patience.until(
          "the circuit is closed",
          () -> endpoint(scenario, "probe").get("state").asString().equals("CLOSED"));
    }
  }

  /** I6: neither does what waits for the rate. */
  @Test
  void rateIsKeptOverAllLanesWithoutUsingAttempts() {
    try (TestService pod = Pod.start();
        Scenario scenario = Scenario.on(pod, "rate")) {
      scenario.subscribe(
          limited(
              scenario,
              "rate",
              32,
              Scenario.QUICK,
              ", \"rateLimit\": {\"limit\": 20, \"per\": \"PT1S\", \"burst\": 5}"));
      scenario.publishAll(events(scenario, "k", 60));
      scenario.receiver.awaitAcknowledged(60);

      List<Received> all = scenario.receiver.log();
      assertThat(all).hasSize(60).allMatch(request -> request.attempt() == 1);
      // 5 at once and 20 a second: the last goes 2.7 s after the first, which may be late itself.
      assertThat(Duration.ofNanos(all.getLast().arrivedNanos() - all.getFirst().arrivedNanos()))
          .isGreaterThan(Duration.ofMillis(1500));
      assertThat(scenario.endsInOrder()).hasSize(60);
    }
  }

  @Test
  void retryAfterOfOneLaneHoldsTheOthersUntilTheUrlChanges() {
    try (TestService pod = Pod.start();
        Scenario scenario = Scenario.on(pod, "busy")) {
      scenario.receiver.on("/busy", request -> Reply.status(503, "Retry-After: 600"));
      scenario.subscribe("busy", "RESOURCE", Scenario.QUICK);
      scenario.publish("first", "first");
      Patience.until("the hold is visible", () -> endpoint(scenario, "busy").has("until"));
      JsonNode endpoint = endpoint(scenario, "busy");
      assertThat(endpoint.get("state").asString()).isEqualTo("CLOSED");
      assertThat(endpoint.get("reason").asString())
          .isEqualTo("it answered SERVER_ERROR 503 and asked for a wait of PT10M");
      assertThat(Instant.parse(endpoint.get("until").asString()))
          .isAfter(Instant.now().plusSeconds(300));

      scenario.publishAll(events(scenario, "other", 10));
      scenario.awaitChangesHeard();
      scenario.awaitChangesHeard();
      assertThat(scenario.receiver.log(Scenario.isCanary().negate())).hasSize(1);

      scenario.patch("busy", "{\"url\": \"" + scenario.receiver.url("/idle") + "\"}");
      scenario.receiver.awaitArrived(10, "others", request -> request.path().equals("/idle"));
      assertThat(endpoint(scenario, "busy")).hasSize(1);
      // Its own wait, which it was asked for, goes on.
      assertThat(scenario.endsInOrder(1, Set.of(1L))).hasSize(11);
    }
  }

  @Test
  void openCircuitSurvivesItsOwner() {
    try (TestDatabase database = TestDatabase.create();
        TestService first = Pod.startOn(database, LONG_OPEN);
        Scenario scenario = new Scenario("survives", database, first)) {
      AtomicBoolean repaired = new AtomicBoolean();
      scenario.receiver.on("/survives", request -> repaired.get() ? Reply.ok() : Reply.status(500));
      scenario.subscribe(limited(scenario, "survives", 1, Scenario.QUICK, ""));
      scenario.publishAll(events(scenario, "k", 10));
      Patience.until(
          "the circuit opens",
          () -> endpoint(scenario, "survives").get("state").asString().equals("OPEN"));
      assertThat(meter(first, "open")).isEqualTo(1);
      assertThat(endpoint(scenario, "survives").propertyNames())
          .containsExactlyInAnyOrder("state", "reason", "since", "until", "failingSince");
      first.close();
      repaired.set(true);

      try (TestService second = Pod.startOn(database, LONG_OPEN);
          Scenario later = new Scenario("survives", database, second)) {
        later.awaitChangesHeard();
        Patience.until("the new owner knows", () -> meter(second, "open") == 1);
        assertThat(scenario.receiver.log()).hasSize(5);
        assertThat(endpoint(later, "survives").get("state").asString()).isEqualTo("OPEN");
      }
      // As if the half hour were over; and the scenario that ended deleted its subscriptions.
      scenario.jdbc().sql("update endpoint set until = clock_timestamp()").update();
      scenario.jdbc().sql("update subscription set state = 'ENABLED'").update();
      try (TestService third = Pod.startOn(database, LONG_OPEN);
          Scenario last = new Scenario("survives", database, third)) {
        scenario.receiver.awaitAcknowledged(10);
        assertThat(scenario.endsInOrder()).hasSize(10);
        Patience.until(
            "nothing is known against it any more",
            () ->
                last.jdbc().sql("select count(*) from endpoint").query(Integer.class).single()
                    == 0);
        assertThat(endpoint(last, "survives").get("state").asString()).isEqualTo("CLOSED");
      }
    }
  }

  @Test
  void longFailureDisablesByTimeAndVolume() {
    try (TestDatabase database = TestDatabase.create();
        TestService first = Pod.startOn(database);
        Scenario scenario = new Scenario("given-up", database, first)) {
      AtomicBoolean repaired = new AtomicBoolean();
      scenario.receiver.on("/given-up", request -> repaired.get() ? Reply.ok() : Reply.status(500));
      scenario.subscribe(limited(scenario, "given-up", 1, Scenario.LATER, ""));
      first.close();
      scenario
          .jdbc()
          .sql(
              """
              insert into endpoint (subscription_pk, state, failing_since, failures)
              select pk, 'CLOSED', clock_timestamp() - interval '6 days', 3 from subscription
              """)
          .update();

      try (TestService second = Pod.startOn(database, "seriatim.delivery.disable.volume=20");
          Scenario later = new Scenario("given-up", database, second)) {
        later.publishAll(events(later, "k", 20));
        Patience.until(
            "the subscription is disabled",
            () -> later.subscription("given-up").get("state").asString().equals("DISABLED"));
        assertThat(later.subscription("given-up").get("disabledReason").asString())
            .matches(
                "no success for PT144H.*: 4 failed attempts, 20 deliveries queued, the last"
                    + " verdict SERVER_ERROR 500");
        later.log.await("Subscription given-up is disabled: no success");
        assertThat(second.get("/actuator/metrics/seriatim.endpoints.disabled?tag=cause:failing"))
            .satisfies(
                answer ->
                    assertThat(answer.json().at("/measurements/0/value").doubleValue())
                        .isEqualTo(1));
        repaired.set(true);

        // An operator's word: it begins anew.
        later.enable("given-up");
        later.patch("given-up", "{\"retry\": {\"schedule\": [\"PT0.05S\"]}}");
        scenario.receiver.awaitAcknowledged(20);
        assertThat(later.endsInOrder(0, Set.of(), "given-up is disabled")).isEmpty();
        assertThat(endpoint(later, "given-up").get("state").asString()).isEqualTo("CLOSED");
      }
    }
  }

  /** I5: many lanes fail at once. */
  @Test
  void retriesOfManyLanesAreSpreadAndTheCapHoldsOnRecovery() {
    int lanes = 5000;
    try (TestService pod = Pod.start("seriatim.delivery.breaker.enabled=false");
        Scenario scenario = Scenario.on(pod, "herd")) {
      AtomicBoolean repaired = new AtomicBoolean();
      scenario.receiver.on(
          "/herd",
          ((Behaviour) request -> repaired.get() ? Reply.ok() : Reply.status(500))
              .taking(Duration.ofMillis(5), 5));
      String later =
          """
          {"maxAttempts": 50, "initialDelay": "PT600S", "multiplier": 1, "maxDelay": "PT600S", "jitter": 0.2}""";
      scenario.subscribe(limited(scenario, "herd", 16, later, ""));
      List<String> events = events(scenario, "k", lanes);
      for (int from = 0; from < lanes; from += 1000) {
        scenario.publishAll(events.subList(from, from + 1000));
      }
      Patience.until(
          "all have failed",
          () ->
              scenario
                      .jdbc()
                      .sql("select count(*) from delivery where attempts = 1")
                      .query(Integer.class)
                      .single()
                  == lanes);
      assertThat(
              scenario
                  .jdbc()
                  .sql("select count(distinct own_wait_ms / 1000) from delivery")
                  .query(Integer.class)
                  .single())
          .as("seconds over which 5,000 retries spread")
          .isGreaterThan(200);
      repaired.set(true);

      // All of them become due at once.
      scenario.patch("herd", "{\"retry\": {\"schedule\": [\"PT0.1S\"], \"jitter\": 0}}");
      scenario.receiver.awaitAcknowledged(lanes);

      assertThat(scenario.endsInOrder()).hasSize(lanes);
      assertThat(mostAtOnce(scenario.receiver.log())).isBetween(2, 16);
    }
  }

  /** I3: an endpoint that accepts and never answers, with 2,000 queued instead of 100,000. */
  @Test
  void endpointThatNeverAnswersLeavesTheOthersAlone() {
    try (TestService pod =
            TestService.start("seriatim.targets.allow=127.0.0.0/8", "seriatim.partitions.count=1");
        Scenario scenario = Scenario.on(pod, "silent")) {
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/silent", gate);
      scenario.subscribe(
          limited(scenario, "silent", 16, Scenario.QUICK, ", \"eventTypes\": [\"silent\"]"));
      scenario.subscribe(
          limited(scenario, "lively", 16, Scenario.QUICK, ", \"eventTypes\": [\"lively\"]"));
      List<String> silent =
          IntStream.range(0, 2000)
              .mapToObj(n -> scenario.event("s" + n, "silent", "s" + n, "1"))
              .toList();
      scenario.publishAll(silent.subList(0, 1000));
      scenario.publishAll(silent.subList(1000, 2000));
      scenario.receiver.awaitArrived(
          16, "requests that hang", request -> request.path().equals("/silent"));

      for (int lap = 0; lap < 5; lap++) {
        List<String> lively = new ArrayList<>();
        for (int key = 0; key < 100; key++) {
          lively.add(scenario.event("l" + lap + "-" + key, "lively", "l" + key, "1"));
        }
        scenario.publishAll(lively);
      }
      scenario.receiver.awaitAcknowledged(500);

      assertThat(scenario.receiver.log(request -> request.path().equals("/silent"))).hasSize(16);
      gate.open();
      scenario.receiver.awaitAcknowledged(2500);
      assertThat(scenario.endsInOrder()).hasSize(2100);
    }
  }

  private static String limited(
      Scenario scenario, String id, int maxInFlight, String retry, String more) {
    return """
    {"id": "%s", "tenant": "%s", "url": "%s", "ordering": "RESOURCE", "retry": %s, "maxInFlight": %d%s}"""
        .formatted(id, scenario.tenant, scenario.receiver.url("/" + id), retry, maxInFlight, more);
  }

  /** One of each key. */
  private static List<String> events(Scenario scenario, String prefix, int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(number -> scenario.event(prefix + number, prefix + number))
        .toList();
  }

  private static JsonNode endpoint(Scenario scenario, String id) {
    return scenario.subscription(id).get("endpoint");
  }

  private static int meter(TestService pod, String state) {
    return pod.get("/actuator/metrics/seriatim.endpoints.breaker?tag=state:" + state)
        .json()
        .at("/measurements/0/value")
        .intValue();
  }

  private static int mostAtOnce(List<Received> requests) {
    record Step(long tick, int change) {}
    List<Step> steps = new ArrayList<>();
    for (Received request : requests) {
      steps.add(new Step(request.arrivedAt(), 1));
      steps.add(new Step(request.completedAt(), -1));
    }
    steps.sort(Comparator.comparingLong(Step::tick));
    int now = 0;
    int most = 0;
    for (Step step : steps) {
      now += step.change();
      most = Math.max(most, now);
    }
    return most;
  }
}
