package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** What an operator can do to the lanes, partitions and dead letters of a scenario, over HTTP. */
final class Hands {

  private final Scenario scenario;

  Hands(Scenario scenario) {
    this.scenario = scenario;
  }

  /** The lane of an event's only delivery. */
  long lane(String event) {
    return scenario.status(event).at("/deliveries/0/lane").asLong();
  }

  int partition(String event) {
    return scenario.status(event).at("/deliveries/0/partition").asInt();
  }

  JsonNode read(long lane) {
    return succeeds(scenario.pod().get("/v1/lanes/" + lane));
  }

  JsonNode park(long lane) {
    return onLane(lane, "park", "{\"reason\": \"by hand\"}");
  }

  JsonNode resume(long lane) {
    return onLane(lane, "resume", null);
  }

  JsonNode skip(long lane, long sequence) {
    return onLane(lane, "skip", "{\"sequence\": " + sequence + "}");
  }

  JsonNode retry(long lane) {
    return onLane(lane, "retry", null);
  }

  private JsonNode onLane(long lane, String action, String json) {
    return succeeds(scenario.pod().post("/v1/lanes/" + lane + "/" + action, json));
  }

  void resumePartition(int partition) {
    succeeds(scenario.pod().post("/v1/partitions/" + partition + "/resume", null));
  }

  /** Of a subscription, the lowest sequence first. */
  List<JsonNode> deadLetters(String subscription) {
    return succeeds(scenario.pod().get("/v1/dead-letters?subscription=" + subscription))
        .get("items")
        .valueStream()
        .sorted((a, b) -> Long.compare(a.get("sequence").asLong(), b.get("sequence").asLong()))
        .toList();
  }

  JsonNode replay(JsonNode deadLetter, String as) {
    return succeeds(
        scenario
            .pod()
            .post(
                "/v1/dead-letters/" + deadLetter.get("id").asLong() + "/replay",
                "{\"as\": \"" + as + "\"}"));
  }

  /** How often something was done to a target, as the audit has it. */
  int audited(String target, String action) {
    return succeeds(scenario.pod().get("/v1/audit?target=" + target + "&action=" + action))
        .get("items")
        .size();
  }

  /** Waits until the owner has noticed that the lane is held: all of its rows stand aside. */
  void awaitAside(long lane, int rows) {
    Patience.until(
        "all %d rows of lane %d stand aside".formatted(rows, lane),
        () -> rows(lane, "partition < 0") == rows && rows(lane, "partition >= 0") == 0);
  }

  int rows(long lane, String condition) {
    return scenario
        .jdbc()
        .sql("select count(*) from delivery where lane_id = :lane and " + condition)
        .param("lane", lane)
        .query(Integer.class)
        .single();
  }

  /** Two do the same at the same time. */
  static void twice(Runnable action) {
    CompletableFuture<Void> other =
        CompletableFuture.runAsync(action, task -> Thread.ofVirtual().start(task));
    action.run();
    other.join();
  }

  private static JsonNode succeeds(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isBetween(200, 299);
    return answer.json();
  }
}
