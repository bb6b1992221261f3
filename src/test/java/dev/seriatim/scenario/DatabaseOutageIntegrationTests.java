package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DatabaseOutageIntegrationTests {

  private static final int PRODUCERS = 8;

  @Test
  void outageLosesNothingAndRepeatsNothing() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        DatabaseProxy proxy = new DatabaseProxy(database.url());
        TestService pod = TestService.startOn(database, proxy.url(), Pod.settings());
        Scenario scenario = new Scenario("outage", database, pod)) {
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on(
          "/outage",
          request ->
              request.header("seriatim-key").equals("held")
                  ? gate.answer(request)
                  : Behaviour.always(200).taking(Duration.ofMillis(10), 1).answer(request));
      scenario.subscribe("outage", "RESOURCE", Scenario.QUICK);
      scenario.publishLine(3, "held");
      scenario.receiver.awaitArrived(
          1, "request that is under way", request -> request.eventId().equals("held-e1"));
      try (Producers producers = new Producers(scenario, PRODUCERS, number -> pod)) {
        producers.awaitMore(50);

        proxy.cut();
        // Delivered while nothing can be recorded, before anybody could take the pod for dead.
        gate.open();
        scenario.log.await("waits to be recorded");
        long start = System.nanoTime();
        Answer refused = pod.post("/v1/events", scenario.event("held-e4", "held"));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        // All pods share the database: none of them would be left if they were unready without it.
        assertThat(pod.get("/actuator/health/readiness").status()).isEqualTo(200);
        assertThat(pod.get("/actuator/health/liveness").status()).isEqualTo(200);
        proxy.repair();

        assertThat(refused.status()).as(refused.body()).isEqualTo(503);
        assertThat(refused.header("Content-Type")).startsWith("application/problem+json");
        assertThat(refused.text("/type")).isEqualTo("/problems/unavailable");
        assertThat(took).isLessThan(Duration.ofSeconds(20));
        Patience.until(
            "what was refused is accepted",
            () -> pod.post("/v1/events", scenario.event("held-e4", "held")).status() / 100 == 2);
        producers.awaitMore(50);
        int accepted = producers.stop();
        scenario.receiver.awaitAcknowledged(accepted + 4);

        // No repeats after a 2xx, and every accepted event, by the numbers.
        Map<Received.Lane, Long> last =
            scenario.endsInOrder(
                0, Set.of(), "trying again|waits|pauses|the database is away|broken off");
        assertThat(last.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(accepted + 4);
        assertThat(producers.refused()).isPositive();
      }
    }
  }
}
