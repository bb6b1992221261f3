package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import dev.seriatim.partition.Partitioner;
import dev.seriatim.partition.WorkerName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * The ordering proof: several pods on one database, publishing through all of them, to a receiver
 * that is slow and fails at random. What it promises is read from the receiver's log alone.
 */
class OrderingProofIntegrationTests {

  private static final int PODS = 3;
  private static final int KEYS = 20;
  private static final int EVENTS_PER_KEY = 25;
  private static final int PUBLISHERS = 4;
  private static final long SEED = 20_260_101;

  @Test
  void eachKeyArrivesInOrderFromThreePods() throws Exception {
    IO.println("Ordering proof, seed " + SEED);
    try (TestDatabase database = TestDatabase.create();
        TestService first = Pod.startOn(database);
        TestService second = Pod.startOn(database);
        TestService third = Pod.startOn(database);
        Scenario scenario = new Scenario("proof", database, first, second, third)) {
      List<TestService> pods = List.of(first, second, third);
      awaitEvenShares(scenario);
      Set<String> endpoints = endpointsOnAllPods(scenario, first.bean(Partitioner.class));
      Gate gate =
          new Gate(Behaviour.always(200).failing(0.05, SEED).taking(Duration.ofMillis(50), SEED));
      for (String endpoint : endpoints) {
        scenario.receiver.on("/" + endpoint, gate);
        scenario.subscribe(endpoint, "RESOURCE", Scenario.QUICK);
      }

      publishInterleaved(scenario, pods, gate);
      scenario.receiver.awaitAcknowledged(endpoints.size() * KEYS * EVENTS_PER_KEY);

      Map<Received.Lane, Long> lanes = scenario.endsInOrder();
      assertThat(lanes)
          .hasSize(endpoints.size() * KEYS)
          .allSatisfy((lane, last) -> assertThat(last).isEqualTo(EVENTS_PER_KEY));
      List<Received> log = scenario.receiver.log();
      assertThat(log).as("some failed").anyMatch(request -> request.status() == 503);
      assertThat(log)
          .as("the sequence is the order of publishing")
          .allSatisfy(
              request ->
                  assertThat(request.eventId())
                      .isEqualTo(request.header("seriatim-key") + "-" + request.sequence()));
      assertThat(
              scenario.jdbc().sql("select distinct worker from attempt").query(String.class).list())
          .as("every pod delivered some")
          .containsExactlyInAnyOrderElementsOf(workers(pods));
    }
  }

  private static List<String> workers(List<TestService> pods) {
    return pods.stream().map(pod -> pod.bean(WorkerName.class).value()).toList();
  }

  private static void awaitEvenShares(Scenario scenario) {
    Patience.until(
        "three pods with five or six partitions each",
        () -> {
          List<Integer> shares =
              scenario
                  .jdbc()
                  .sql("select count(*) from partition where owner is not null group by worker")
                  .query(Integer.class)
                  .list();
          return shares.size() == PODS && shares.stream().allMatch(share -> share >= 5);
        });
  }

  /** Names of four endpoints, at least one of them with each pod. */
  private static Set<String> endpointsOnAllPods(Scenario scenario, Partitioner partitioner) {
    Set<String> endpoints = new HashSet<>();
    Set<String> covered = new HashSet<>();
    for (int number = 0; endpoints.size() < 4; number++) {
      String name = "proof-" + number;
      String owner =
          scenario
              .jdbc()
              .sql("select worker from partition where id = :id")
              .param("id", partitioner.partition(name))
              .query(String.class)
              .single();
      if (covered.add(owner) || covered.size() == PODS) {
        endpoints.add(name);
      }
    }
    return endpoints;
  }

  /**
   * Each key is published by one thread, one event after another, through changing pods. The
   * receiver begins to answer when there is a line in each lane that could get out of order.
   */
  private static void publishInterleaved(Scenario scenario, List<TestService> pods, Gate gate)
      throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(PUBLISHERS)) {
      List<Future<?>> publishers = new ArrayList<>();
      for (int publisher = 0; publisher < PUBLISHERS; publisher++) {
        int firstKey = publisher;
        publishers.add(
            threads.submit(
                () -> {
                  for (int number = 1; number <= EVENTS_PER_KEY; number++) {
                    if (number == EVENTS_PER_KEY / 2) {
                      gate.open();
                    }
                    for (int key = firstKey; key < KEYS; key += PUBLISHERS) {
                      String resource = "key" + key;
                      Answer answer =
                          pods.get((number + key) % PODS)
                              .post(
                                  "/v1/events", scenario.event(resource + "-" + number, resource));
                      assertThat(answer.status()).as(answer.body()).isEqualTo(202);
                    }
                  }
                }));
      }
      for (Future<?> publisher : publishers) {
        publisher.get();
      }
    }
  }
}
