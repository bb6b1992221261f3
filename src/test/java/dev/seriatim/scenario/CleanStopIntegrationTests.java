package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.partition.Partitioner;
import dev.seriatim.partition.WorkerName;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CleanStopIntegrationTests {

  private static final int PRODUCERS = 8;

  /**
   * One of two pods stops under traffic, with a request under way: nothing lost, nothing doubled.
   */
  @Test
  void stoppingAPodLosesNothingAndDoublesNothing() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        TestService staying = Pod.startOn(database);
        TestService leaving = Pod.startOn(database);
        Scenario scenario = new Scenario("stop", database, staying, leaving)) {
      String worker = leaving.bean(WorkerName.class).value();
      Patience.until("each has half", () -> owned(scenario, worker) == Pod.PARTITIONS / 2);
      Partitioner partitioner = staying.bean(Partitioner.class);
      String[] endpoints = {
        endpoint(scenario, partitioner, worker, true),
        endpoint(scenario, partitioner, worker, false)
      };
      Gate gate = new Gate(Behaviour.always(200));
      for (String endpoint : endpoints) {
        scenario.receiver.on(
            "/" + endpoint,
            request ->
                request.header("seriatim-key").equals("held")
                    ? gate.answer(request)
                    : Behaviour.always(200).taking(Duration.ofMillis(20), 1).answer(request));
        scenario.subscribe(endpoint, "RESOURCE", Scenario.QUICK);
      }
      scenario.publishLine(2, "held");
      scenario.receiver.awaitArrived(2, "heads that are under way", request -> true);
      try (Producers producers =
          new Producers(scenario, PRODUCERS, number -> number % 2 == 0 ? staying : leaving)) {
        producers.awaitMore(50);

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(leaving::close);
        Patience.until(
            "the other pod has all but where a request is under way",
            () -> owned(scenario, staying.bean(WorkerName.class).value()) == Pod.PARTITIONS - 1);
        assertThat(owned(scenario, worker)).isOne();
        gate.open();
        stopped.get(60, TimeUnit.SECONDS);
        assertThat(owned(scenario, worker)).isZero();
        producers.awaitMore(50);
        int accepted = producers.stop();
        scenario.receiver.awaitAcknowledged(2 * (accepted + 2));

        Map<Received.Lane, Long> last = scenario.endsInOrder();
        assertThat(last.values().stream().mapToLong(Long::longValue).sum())
            .isEqualTo(2L * (accepted + 2));
      }
    }
  }

  private static int owned(Scenario scenario, String worker) {
    return scenario
        .jdbc()
        .sql("select count(*) from partition where worker = :worker")
        .param("worker", worker)
        .query(Integer.class)
        .single();
  }

  /** A name whose partition is, or is not, with a pod. */
  private static String endpoint(
      Scenario scenario, Partitioner partitioner, String worker, boolean with) {
    for (int number = 0; ; number++) {
      String name = "stop-" + number;
      boolean is =
          scenario
              .jdbc()
              .sql("select worker = :worker from partition where id = :id")
              .param("worker", worker)
              .param("id", partitioner.partition(name))
              .query(Boolean.class)
              .single();
      if (is == with) {
        return name;
      }
    }
  }
}
