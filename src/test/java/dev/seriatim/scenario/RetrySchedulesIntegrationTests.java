package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Retries by a schedule, and what becomes of heads that wait when their policy changes. */
@ExtendWith(Pod.class)
class RetrySchedulesIntegrationTests {

  /** Far longer than any test waits. */
  private static final String SLOW =
      """
      {"schedule": ["P1D", "P1D"], "maxAge": "P9D"}""";

  private static final String SHORT =
      """
      {"schedule": ["PT0.05S"]}""";

  @Test
  void scheduleIsFollowedAndThenEjects(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "schedule")) {
      scenario.receiver.on(
          "/schedule", Behaviour.always(500).when(request -> request.sequence() == 2));
      scenario.subscribe(
          "schedule",
          "SUBSCRIPTION",
          """
          {"schedule": ["PT0S", "PT0.4S", "PT0.05S"], "jitter": 0}""");
      scenario.publishLine(3, "r");
      scenario.receiver.awaitAcknowledged(2);

      assertThat(scenario.endsInOrder(0, Set.of(2L))).hasSize(1).containsValue(3L);
      List<Received> attempts = scenario.receiver.log(request -> request.sequence() == 2);
      assertThat(attempts).extracting(Received::attempt).containsExactly(1, 2, 3, 4);
      assertThat(Duration.ofNanos(attempts.get(2).arrivedNanos() - attempts.get(1).arrivedNanos()))
          .isGreaterThan(Duration.ofMillis(390));
      assertThat(scenario.state("r-e2")).isEqualTo("DEAD");
    }
  }

  @Test
  void shorterWaitsHoldForHeadsThatWaitAlready(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "shortened")) {
      scenario.receiver.on("/shortened", Behaviour.failingFirst(1));
      scenario.subscribe("shortened", "RESOURCE", SLOW);
      scenario.publishLine(2, "a");
      scenario.publishLine(2, "b");
      Patience.until("both heads wait", () -> waiting(scenario) == 2);

      scenario.patch("shortened", "{\"retry\": %s}".formatted(SHORT));
      scenario.receiver.awaitAcknowledged(4);

      assertThat(scenario.endsInOrder()).hasSize(2);
    }
  }

  @Test
  void waitThatTheReceiverAskedForIsNotShortened(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "asked")) {
      AtomicBoolean asks = new AtomicBoolean(true);
      scenario.receiver.on(
          "/asked", request -> asks.get() ? Reply.status(503, "Retry-After: 600") : Reply.ok());
      scenario.subscribe("asked", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publishLine(1, "r");
      Patience.until("the head waits", () -> waiting(scenario) == 1);
      asks.set(false);

      scenario.patch("asked", "{\"retry\": %s}".formatted(SHORT));
      // It would be due at the first of them.
      scenario.awaitChangesHeard();
      scenario.awaitChangesHeard();

      assertThat(scenario.receiver.log(Scenario.isCanary().negate())).hasSize(1);
      assertThat(scenario.state("r-e1")).isEqualTo("WAITING");
      scenario.endsInOrder(1, Set.of(1L));
    }
  }

  /** Changed while nobody owns the partition: the next owner finds a time that is out of date. */
  @Test
  void nextOwnerGoesByThePolicyOfItsDay() {
    try (TestDatabase database = TestDatabase.create();
        TestService first = Pod.startOn(database);
        Scenario scenario = new Scenario("out-of-date", database, first)) {
      scenario.receiver.on("/out-of-date", Behaviour.failingFirst(1));
      scenario.subscribe("out-of-date", "SUBSCRIPTION", SLOW);
      scenario.publishLine(3, "r");
      Patience.until("the head waits", () -> waiting(scenario) == 1);
      first.close();
      scenario.jdbc().sql("update subscription set retry_schedule_ms = '{50}'").update();

      try (TestService _ = Pod.startOn(database)) {
        scenario.receiver.awaitAcknowledged(3);
        assertThat(scenario.endsInOrder()).hasSize(1).containsValue(3L);
      }
    }
  }

  private static int waiting(Scenario scenario) {
    return scenario
        .jdbc()
        .sql(
            """
            select count(*) from delivery d join subscription s on s.pk = d.subscription_pk
            where s.tenant = :tenant and d.next_attempt_at > clock_timestamp() + interval '1 minute'
            """)
        .param("tenant", scenario.tenant)
        .query(Integer.class)
        .single();
  }
}
