package dev.seriatim.scenario;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.partition.Partitioner;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeletedBeforeItsTurnIntegrationTests {

  /**
   * A delivery that was started, waits for the pod's limit of requests and meanwhile loses its
   * subscription: it is neither sent nor left in the queue.
   */
  @Test
  void startedButUnsentDeliveryIsCancelledWithItsSubscription() {
    try (TestDatabase database = TestDatabase.create();
        TestService pod =
            Pod.startOn(
                database,
                "seriatim.drain.max-in-flight=1",
                "seriatim.drain.lanes-per-partition=1");
        Scenario scenario = new Scenario("unsent", database, pod)) {
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/hanging", gate);
      String deleted = inAnotherPartition(pod.bean(Partitioner.class), "hanging");
      subscribe(scenario, "hanging");
      subscribe(scenario, deleted);
      publish(scenario, "known", deleted, "r");
      scenario.receiver.awaitAcknowledged(1);
      publish(scenario, "first", "hanging", "r");
      scenario.receiver.awaitArrived(2, "request, the one that hangs", request -> true);
      publish(scenario, "second", deleted, "started");
      publish(scenario, "third", deleted, "ready");

      scenario.delete(deleted);
      // One of the two is started and waits for the request that hangs; the other goes now. That
      // the first was started before is all but certain, and all that the test needs chance for.
      Patience.until("the deletion is heard", () -> scenario.queued() < 3);
      gate.open();

      scenario.endsInOrder(0, Set.of());
    }
  }

  /** Each gets events of the type that is called like it. */
  private static void subscribe(Scenario scenario, String id) {
    scenario.subscribe(
        """
        {"id": "%s", "tenant": "%s", "url": "%s", "ordering": "RESOURCE", "eventTypes": ["%s"]}"""
            .formatted(id, scenario.tenant, scenario.receiver.url("/" + id), id));
  }

  private static void publish(Scenario scenario, String id, String type, String resource) {
    scenario.publishAll(List.of(scenario.event(id, type, resource, "1")));
  }

  private static String inAnotherPartition(Partitioner partitioner, String routingKey) {
    int number = 0;
    while (partitioner.partition("deleted" + number) == partitioner.partition(routingKey)) {
      number++;
    }
    return "deleted" + number;
  }
}
