package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.partition.Partitioner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** What policies and operators hold, and how it goes on, as receivers see it. */
class HoldsIntegrationTests {

  private static final String TWICE =
      """
      {"maxAttempts": 2, "initialDelay": "PT0.02S", "maxDelay": "PT0.02S"}""";

  /** Rows of one read, few enough to tell what a new owner reads first. */
  private static final int PAGE = 20;

  private static final String HELD = "Lane \\d+ is held: the head";
  private static final String PAUSED = "is paused: the head";
  private static final String ANOTHER_OWNER = "has another owner by now|Lost the lease of";

  private static TestService pod;
  private static BrokenWrites writes;

  @BeforeAll
  static void start() {
    pod = Pod.start("seriatim.drain.page-size=" + PAGE, Takeover.QUICK[0], Takeover.QUICK[1]);
    writes = new BrokenWrites(JdbcClient.create(pod.database().dataSource(1)));
  }

  @AfterAll
  static void stop() {
    pod.close();
  }

  /** A receiver that answers 500 to a key until it is mended. */
  private static AtomicBoolean broken(Scenario scenario, String path, Predicate<Received> which) {
    AtomicBoolean mended = new AtomicBoolean();
    scenario.receiver.on(
        path, request -> mended.get() || !which.test(request) ? Reply.ok() : Reply.status(500));
    return mended;
  }

  private static Predicate<Received> key(String key) {
    return request -> request.header("seriatim-key").equals(key);
  }

  private static Predicate<Received> path(String path) {
    return request -> request.path().equals(path);
  }

  private static String policy(
      Scenario scenario, String id, String ordering, String retry, String more) {
    return """
    {"id": "%s", "tenant": "%s", "url": "%s", "ordering": "%s", "retry": %s, "maxInFlight": 32, "eventTypes": ["%s"]%s}"""
        .formatted(id, scenario.tenant, scenario.receiver.url("/" + id), ordering, retry, id, more);
  }

  /** Publishes one batch of a type, and so for the subscription that is called like it. */
  private static void publish(Scenario scenario, String type, String resource, int from, int to) {
    List<String> events = new ArrayList<>();
    for (int number = from; number <= to; number++) {
      events.add(scenario.event(type + "-" + resource + number, type, resource, "1"));
    }
    scenario.publishAll(events);
  }

  @Test
  void parkedLaneStandsInLineWhileItsNeighboursGoOn() {
    try (Scenario scenario = Scenario.on(pod, "parks")) {
      Hands hands = new Hands(scenario);
      AtomicBoolean mended = broken(scenario, "/parks", key("bad"));
      scenario.subscribe(
          policy(scenario, "parks", "RESOURCE", TWICE, ", \"onExhausted\": \"PARK\""));
      publish(scenario, "parks", "bad", 1, 3);
      long lane = hands.lane("parks-bad1");
      hands.awaitAside(lane, 3);

      mended.set(true);
      publish(scenario, "parks", "bad", 4, 5);
      publish(scenario, "parks", "good", 1, 5);
      scenario.receiver.awaitAcknowledged(5);
      scenario.awaitQueued(5);

      assertThat(scenario.receiver.log(key("bad"))).hasSize(2);
      assertThat(scenario.state("parks-bad1")).isEqualTo("HELD");
      assertThat(scenario.state("parks-bad5")).isEqualTo("HELD");
      JsonNode held = hands.read(lane);
      assertThat(held.get("state").asString()).isEqualTo("HELD");
      assertThat(held.get("heldBy").asString()).isEqualTo("POLICY");
      assertThat(held.get("reason").asString())
          .isEqualTo(
              "the head, sequence 1, failed 2 times, last with SERVER_ERROR (500), which are all attempts its subscription allows");
      assertThat(held.get("depth").asInt()).isEqualTo(5);

      Hands.twice(() -> hands.resume(lane));

      assertThat(scenario.ends(0, ReceiverLog::afterNewStarts, HELD))
          .containsOnly(
              Map.entry(new Received.Lane("parks", "bad"), 5L),
              Map.entry(new Received.Lane("parks", "good"), 5L));
      assertThat(scenario.receiver.log(key("bad")))
          .extracting(Received::attempt)
          .containsExactly(1, 2, 1, 1, 1, 1, 1);
      assertThat(hands.audited("lane/" + lane, "RESUME_LANE")).isOne();
    }
  }

  @Test
  void skippingTakesTheHeadOnlyHoweverManySkipIt() {
    try (Scenario scenario = Scenario.on(pod, "skips")) {
      Hands hands = new Hands(scenario);
      broken(scenario, "/skips", request -> request.sequence() == 1);
      scenario.subscribe(
          policy(scenario, "skips", "RESOURCE", TWICE, ", \"onExhausted\": \"PARK\""));
      publish(scenario, "skips", "r", 1, 4);
      long lane = hands.lane("skips-r1");
      hands.awaitAside(lane, 4);

      Hands.twice(() -> hands.skip(lane, 1));
      scenario.receiver.awaitAcknowledged(3);

      assertThat(scenario.ends(0, log -> log.without(Set.of(1L)), HELD)).containsValue(4L);
      assertThat(hands.deadLetters("skips")).hasSize(1);
      JsonNode letter = hands.deadLetters("skips").getFirst();
      assertThat(letter.get("sequence").asLong()).isEqualTo(1);
      assertThat(letter.get("reason").asString()).isEqualTo("SKIPPED");
      assertThat(letter.get("attempts").asInt()).isEqualTo(2);
    }
  }

  @Test
  void retrySendsAHeadAtOnceThatWouldWaitForLong() {
    try (Scenario scenario = Scenario.on(pod, "retries")) {
      Hands hands = new Hands(scenario);
      AtomicBoolean mended = broken(scenario, "/retries", any -> true);
      scenario.subscribe(policy(scenario, "retries", "RESOURCE", Scenario.LATER, ""));
      publish(scenario, "retries", "r", 1, 3);
      Patience.until("the head waits", () -> scenario.state("retries-r1").equals("WAITING"));

      mended.set(true);
      Hands.twice(() -> hands.retry(hands.lane("retries-r1")));

      assertThat(scenario.endsInOrder()).containsValue(3L);
      assertThat(scenario.receiver.log()).hasSize(4);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 500})
  void nothingFollowsTheRequestThatIsUnderWayWhenItsLaneIsParked(int status) {
    String tenant = "under-way-" + status;
    try (Scenario scenario = Scenario.on(pod, tenant)) {
      Hands hands = new Hands(scenario);
      Gate gate = new Gate(Behaviour.always(status).when(request -> request.attempt() == 1));
      scenario.receiver.on("/" + tenant, gate.when(request -> request.sequence() == 1));
      scenario.subscribe(policy(scenario, tenant, "RESOURCE", Scenario.QUICK, ""));
      publish(scenario, tenant, "r", 1, 4);
      scenario.receiver.awaitArrived(1, "head", any -> true);
      long lane = hands.lane(tenant + "-r1");

      hands.park(lane);
      scenario.awaitChangesHeard();
      scenario.awaitChangesHeard();
      gate.open();
      hands.awaitAside(lane, status == 200 ? 3 : 4);
      publish(scenario, tenant, "r", 5, 6);
      publish(scenario, tenant, "neighbour", 1, 1);
      scenario.receiver.awaitArrived(1, "neighbour", key("neighbour"));

      assertThat(scenario.receiver.log(key("r"))).hasSize(1);
      assertThat(hands.read(lane).get("heldBy").asString()).isEqualTo("OPERATOR");
      hands.resume(lane);
      assertThat(scenario.ends(0, ReceiverLog::afterNewStarts)).hasSize(2);
    }
  }

  @Test
  void pausedPartitionStandsWithAllThatIsInItAndGoesOnInOrder() {
    try (Scenario scenario = Scenario.on(pod, "pauses")) {
      Hands hands = new Hands(scenario);
      String neighbour = neighbour("pauses");
      AtomicBoolean mended = broken(scenario, "/pauses", key("bad"));
      scenario.subscribe(
          policy(scenario, "pauses", "RESOURCE", TWICE, ", \"onExhausted\": \"PAUSE\""));
      scenario.subscribe(policy(scenario, neighbour, "SUBSCRIPTION", Scenario.QUICK, ""));
      String elsewhere = elsewhere("pauses");
      scenario.subscribe(policy(scenario, elsewhere, "SUBSCRIPTION", Scenario.QUICK, ""));
      publish(scenario, "pauses", "bad", 1, 3);
      int partition = hands.partition("pauses-bad1");
      Patience.until("the head is held", () -> scenario.state("pauses-bad1").equals("HELD"));

      mended.set(true);
      publish(scenario, "pauses", "good", 1, 3);
      publish(scenario, neighbour, "r", 1, 3);
      Takeover.of(scenario.jdbc(), partition);
      publish(scenario, elsewhere, "r", 1, 3);
      scenario.receiver.awaitAcknowledged(3);

      assertThat(scenario.receiver.log(path("/" + elsewhere).negate())).hasSize(2);
      assertThat(scenario.state(neighbour + "-r1")).isEqualTo("HELD");
      // It shows the last sample.
      Patience.until(
          "the actuator shows that it is paused",
          () ->
              pod.get("/actuator/partitions")
                  .json()
                  .at("/partitions/" + partition + "/state")
                  .asString("")
                  .equals("PAUSED"));
      Hands.twice(() -> hands.resumePartition(partition));

      assertThat(scenario.ends(0, ReceiverLog::afterNewStarts, PAUSED, ANOTHER_OWNER)).hasSize(4);
      assertThat(scenario.receiver.log(key("bad")))
          .extracting(Received::attempt)
          .containsExactly(1, 2, 1, 1, 1);
      assertThat(hands.audited("partition/" + partition, "RESUME_PARTITION")).isOne();
    }
  }

  /** Also under an owner that is new to the partition and comes by the others first. */
  @Test
  void failingHeadThatBlocksItsPartitionLetsNothingElseStart() {
    try (Scenario scenario = Scenario.on(pod, "blocks")) {
      Hands hands = new Hands(scenario);
      String neighbour = neighbour("blocks");
      scenario.receiver.on(
          "/" + neighbour, Behaviour.failingFirst(1).when(request -> request.sequence() == 1));
      AtomicBoolean mended = broken(scenario, "/blocks", any -> true);
      scenario.subscribe(
          policy(scenario, "blocks", "RESOURCE", Scenario.LATER, ", \"blocks\": \"PARTITION\""));
      scenario.subscribe(policy(scenario, neighbour, "SUBSCRIPTION", Scenario.LATER, ""));
      publish(scenario, neighbour, "r", 1, 2 * PAGE);
      awaitAttempts(scenario, neighbour + "-r1", 1);
      publish(scenario, "blocks", "bad", 1, 2);
      awaitAttempts(scenario, "blocks-bad1", 1);
      publish(scenario, "blocks", "other", 1, 2);
      long lane = hands.lane("blocks-bad1");

      hands.retry(hands.lane(neighbour + "-r1"));
      // That the head is tried again shows that its owner is at work.
      hands.retry(lane);
      awaitAttempts(scenario, "blocks-bad1", 2);
      Takeover.of(scenario.jdbc(), hands.partition("blocks-bad1"));
      hands.retry(lane);
      awaitAttempts(scenario, "blocks-bad1", 3);

      assertThat(scenario.receiver.log(key("bad"))).hasSize(3);
      assertThat(scenario.receiver.log()).as("and the neighbour's first").hasSize(4);
      mended.set(true);
      hands.retry(lane);
      assertThat(scenario.ends(0, log -> log, ANOTHER_OWNER)).hasSize(3);
      Received mend = scenario.receiver.log(Received::acknowledged).getFirst();
      assertThat(mend.attempt()).isEqualTo(4);
      assertThat(scenario.receiver.log(key("bad").negate()))
          .filteredOn(Received::acknowledged)
          .hasSize(2 * PAGE + 2)
          .allMatch(request -> request.arrivedAt() > mend.completedAt());
    }
  }

  private static void awaitAttempts(Scenario scenario, String event, int count) {
    Patience.until(
        event + " waits after attempt " + count,
        () -> {
          JsonNode delivery = scenario.status(event).at("/deliveries/0");
          return delivery.get("state").asString().equals("WAITING")
              && delivery.get("attempts").asInt() == count;
        });
  }

  @Test
  void thousandsThatAreQueuedStandAsideWhileTheirSubscriptionIsDisabled() {
    try (Scenario scenario = Scenario.on(pod, "disables")) {
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/disables", gate);
      scenario.subscribe(policy(scenario, "disables", "RESOURCE", Scenario.QUICK, ""));
      queueThousands(scenario, "disables");
      scenario.receiver.awaitArrived(30, "heads", any -> true);

      scenario.disable("disables");
      scenario.awaitChangesHeard();
      gate.open();
      awaitAllAside(scenario, "disables");
      scenario.awaitChangesHeard();
      assertThat(scenario.receiver.log(path("/disables"))).as("one of each lane").hasSize(30);
      scenario.enable("disables");

      assertThat(scenario.endsInOrder())
          .hasSize(30)
          .allSatisfy((lane, last) -> assertThat(last).isEqualTo(100));
    }
  }

  /** Whatever holds them, what is queued goes with the subscription. */
  @ParameterizedTest
  @CsvSource({"deletes-parked, park", "deletes-disabled, disable"})
  void deletingCancelsWhatIsHeld(String id, String hold) {
    try (Scenario scenario = Scenario.on(pod, id)) {
      Hands hands = new Hands(scenario);
      Gate gate = new Gate(Behaviour.always(500));
      scenario.receiver.on("/" + id, gate);
      scenario.subscribe(policy(scenario, id, "RESOURCE", Scenario.LATER, ""));
      queueThousands(scenario, id);
      scenario.receiver.awaitArrived(10, "heads", any -> true);
      if (hold.equals("park")) {
        for (int key = 0; key < 30; key++) {
          hands.park(hands.lane("k" + key + "-1"));
        }
      } else {
        scenario.disable(id);
      }
      gate.open();
      awaitAllAside(scenario, id);

      scenario.delete(id);
      scenario.awaitQueued(0);

      assertThat(scenario.state("k0-1")).isEqualTo("CANCELLED");
      assertThat(scenario.state("k29-100")).isEqualTo("CANCELLED");
      assertThat(scenario.receiver.log()).noneMatch(Received::acknowledged);
    }
  }

  /** The owner dies when a lane is resumed and none of its rows stands where owners read. */
  @Test
  void resumedLaneIsNotLostSightOfByANewOwner() {
    try (Scenario scenario = Scenario.on(pod, "half-back")) {
      Hands hands = new Hands(scenario);
      AtomicBoolean mended = broken(scenario, "/half-back", any -> true);
      scenario.subscribe(policy(scenario, "half-back", "RESOURCE", Scenario.QUICK, ""));
      publish(scenario, "half-back", "r", 1, 500);
      scenario.receiver.awaitArrived(1, "head", any -> true);
      long lane = hands.lane("half-back-r1");
      hands.park(lane);
      hands.awaitAside(lane, 500);
      int partition = hands.partition("half-back-r1");

      writes.breakOf("half-back", BrokenWrites.Kind.BACK);
      hands.resume(lane);
      writes.awaitTried("half-back");
      Takeover.of(scenario.jdbc(), partition);
      assertThat(hands.rows(lane, "partition < 0")).isEqualTo(500);
      writes.mend("half-back");
      mended.set(true);

      assertThat(
              scenario.ends(
                  0,
                  log -> log.afterCrashes(1).afterNewStarts(),
                  ANOTHER_OWNER,
                  "cannot be moved aside or back"))
          .containsValue(500L);
      assertThat(scenario.receiver.log(Received::acknowledged)).hasSize(500);
    }
  }

  private static void queueThousands(Scenario scenario, String type) {
    for (int batch = 0; batch < 3; batch++) {
      List<String> events = new ArrayList<>();
      for (int key = batch * 10; key < batch * 10 + 10; key++) {
        for (int number = 1; number <= 100; number++) {
          events.add(scenario.event("k" + key + "-" + number, type, "k" + key, "1"));
        }
      }
      scenario.publishAll(events);
    }
  }

  private static void awaitAllAside(Scenario scenario, String subscription) {
    Patience.until(
        "all rows of " + subscription + " stand aside",
        () ->
            scenario
                    .jdbc()
                    .sql(
                        """
                        select count(*) from delivery d join subscription s on s.pk = d.subscription_pk
                        where s.id = :id and d.partition >= 0
                        """)
                    .param("id", subscription)
                    .query(Integer.class)
                    .single()
                == 0);
  }

  /** An id that has the same partition. */
  private static String neighbour(String id) {
    return idWhere(id + "-beside", other -> partition(other) == partition(id));
  }

  /** An id that has another partition. */
  private static String elsewhere(String id) {
    return idWhere(id + "-elsewhere", other -> partition(other) != partition(id));
  }

  private static String idWhere(String prefix, Predicate<String> fits) {
    int number = 0;
    while (!fits.test(prefix + number)) {
      number++;
    }
    return prefix + number;
  }

  private static int partition(String id) {
    return pod.bean(Partitioner.class).partition(id);
  }
}
