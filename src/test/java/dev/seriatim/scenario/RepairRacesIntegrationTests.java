package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.sql.Connection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What is repaired while its owner is in the middle of something. Nothing is lost sight of. */
class RepairRacesIntegrationTests {

  private static final String SUBSCRIPTION =
      """
      {"id": "%s", "tenant": "%s", "url": "%s", "ordering": "RESOURCE", "onExhausted": "PARK",
       "retry": {"maxAttempts": 1}}""";

  private static void subscribe(Scenario scenario, String id) {
    scenario.subscribe(
        SUBSCRIPTION.formatted(id, scenario.tenant, scenario.receiver.url("/" + id)));
  }

  private static long lane(Scenario scenario, String event) {
    return scenario.status(event).at("/deliveries/0/lane").asLong();
  }

  private static void repair(Scenario scenario, long lane, String action, String body) {
    Answer answer = scenario.pod().post("/v1/lanes/%d/%s".formatted(lane, action), body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  /** The last attempt hangs, an operator skips it, and only then it fails: that holds nothing. */
  @Test
  void laneGoesOnWhoseHeadWasSkippedDuringItsLastAttempt() {
    try (TestService pod = Pod.start();
        Scenario scenario = Scenario.on(pod, "skipped-late")) {
      Gate gate = new Gate(Behaviour.always(500));
      scenario.receiver.on("/skipped-late", gate.when(request -> request.sequence() == 1));
      subscribe(scenario, "skipped-late");
      scenario.publishLine(3, "r");
      scenario.receiver.awaitArrived(1, "request, the one that hangs", request -> true);

      repair(scenario, lane(scenario, "r-e1"), "skip", "{\"sequence\": 1}");
      scenario.awaitChangesHeard();
      scenario.awaitChangesHeard();
      gate.open();

      scenario.endsInOrder(0, Set.of(1L), "is held");
    }
  }

  /**
   * A new owner looks at what stands aside while one subscription is still disabled, and hears of
   * that subscription only when it has been enabled.
   */
  @Test
  void subscriptionIsSentThatWasEnabledWhileItsNewOwnerLookedAtWhatStandsAside() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      startOnePartition(database).close();
      // Before an owner reads it: one that has the partition already might hear of it too late.
      JdbcClient.create(database.dataSource(1))
          .sql("update partition set paused_at = now(), paused_reason = 'not yet'")
          .update();
      try (TestService former = startOnePartition(database);
          Scenario scenario = new Scenario("enabled-late", database, former);
          Connection others = database.dataSource(1).getConnection()) {
        subscribe(scenario, "enabled-early");
        subscribe(scenario, "enabled-late");
        scenario.publish("e1", "r");
        scenario.disable("enabled-early");
        scenario.disable("enabled-late");
        Patience.until(
            "both stand aside", () -> count(scenario, "delivery where partition < 0") == 2);
        former.close();
        scenario
            .jdbc()
            .sql(
                "update subscription set state = 'ENABLED', disabled_reason = null where id = 'enabled-early'")
            .update();
        scenario.jdbc().sql("update partition set paused_at = null, paused_reason = null").update();
        others.setAutoCommit(false);
        others.createStatement().execute("select from delivery for update");

        try (TestService next = startOnePartition(database)) {
          Patience.until(
              "the new owner waits for a row",
              () ->
                  count(
                          scenario,
                          "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                      == 1);
          next.post("/v1/subscriptions/enabled-late/enable", null);
          others.commit();

          scenario.receiver.awaitAcknowledged(2);
          scenario.endsInOrder();
        }
      }
    }
  }

  private static TestService startOnePartition(TestDatabase database) {
    return TestService.startOn(
        database,
        database.url(),
        "seriatim.targets.allow=127.0.0.0/8",
        "seriatim.partitions.count=1");
  }

  private static int count(Scenario scenario, String what) {
    return scenario.jdbc().sql("select count(*) from " + what).query(Integer.class).single();
  }

  /** More lanes than an owner keeps in mind, resumed faster than their rows can be moved back. */
  @Test
  void lanesAreSentThatWerePassedOverBeforeTheirRowsCameBack() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        TestService pod =
            Pod.startOn(
                database,
                "seriatim.drain.lanes-per-endpoint=2",
                "seriatim.drain.lanes-per-partition=2");
        Scenario scenario = new Scenario("passed-over", database, pod);
        Connection others = database.dataSource(1).getConnection()) {
      subscribe(scenario, "passed-over");
      List<String> keys = List.of("a", "b", "c", "d", "e", "f", "g");
      keys.forEach(key -> scenario.publish(key + "1", key));
      scenario.receiver.awaitAcknowledged(7);
      scenario.awaitQueued(0);
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on(
          "/passed-over", gate.when(request -> request.header("seriatim-key").equals("a")));
      keys.forEach(key -> repair(scenario, lane(scenario, key + "1"), "park", null));
      Stream.of(2, 3).forEach(n -> keys.forEach(key -> scenario.publish(key + n, key)));

      // The first to come back, whose rows somebody else has locked.
      others.setAutoCommit(false);
      others
          .createStatement()
          .execute(
              "select from delivery where lane_id = %d and sequence = 3 for update"
                  .formatted(lane(scenario, "a1")));
      repair(scenario, lane(scenario, "a1"), "resume", null);
      scenario.receiver.awaitArrived(8, "request, the one that hangs", request -> true);
      keys.stream()
          .skip(1)
          .forEach(key -> repair(scenario, lane(scenario, key + "1"), "resume", null));
      scenario.receiver.awaitAcknowledged(8);
      scenario.awaitChangesHeard();
      scenario.publish("h1", "h");
      scenario.receiver.awaitArrived(
          1, "request of a new lane", request -> request.header("seriatim-key").equals("h"));
      others.commit();
      gate.open();

      scenario.endsInOrder();
    }
  }
}
