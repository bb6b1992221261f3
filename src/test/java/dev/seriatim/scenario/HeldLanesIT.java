package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A held lane and processes that are killed, in earnest and at the moments that matter. */
class HeldLanesIT {

  private static final int EVENTS = 2000;

  private static final String LANE =
      "select state || ' ' || coalesce(held_by, '-') || ' ' || last_sequence from lane";

  @Test
  void laneIsParkedAndResumedAcrossKilledOwnersWithoutAGapAndWithOneRepeatAtMost()
      throws Exception {
    try (TestDatabase database = TestDatabase.create();
        Receiver receiver = new Receiver()) {
      JdbcClient jdbc = JdbcClient.create(database.dataSource(2));
      AtomicBoolean mended = new AtomicBoolean();
      Gate gate = new Gate(Behaviour.always(500));
      receiver.on(
          "/",
          request ->
              mended.get()
                  ? Reply.ok()
                  : request.attempt() == 2 ? gate.answer(request) : Reply.status(500));

      // Killed between the last failed request and its recording.
      try (PodProcess first = start(database)) {
        first.post(
            "/v1/subscriptions",
            """
            {"id": "killed", "tenant": "acme", "url": "%s", "onExhausted": "PARK",
             "retry": {"maxAttempts": 2, "initialDelay": "PT0.1S"}}"""
                .formatted(receiver.url("/")));
        publish(first, 1, EVENTS);
        receiver.awaitArrived(1, "last attempts", request -> request.attempt() == 2);
        first.kill();
        gate.open();
      }
      assertThat(jdbc.sql(LANE).query(String.class).single()).isEqualTo("ACTIVE - " + EVENTS);

      // Killed in the middle of what is resumed.
      try (PodProcess second = start(database)) {
        Patience.until(
            "the lane is parked",
            () -> jdbc.sql(LANE).query(String.class).single().equals("HELD POLICY " + EVENTS));
        Patience.until("all of it stands aside", () -> rows(jdbc, "partition < 0") == EVENTS);
        publish(second, EVENTS + 1, EVENTS + 10);
        mended.set(true);
        second.post("/v1/lanes/1/resume", "");
        receiver.awaitAcknowledged(10);
        second.kill();
      }
      assertThat(rows(jdbc, "true")).isPositive();

      try (PodProcess third = start(database)) {
        Patience.until("all is delivered", () -> rows(jdbc, "true") == 0);
        assertThat(third.alive()).isTrue();
      }
      ReceiverLog log = ReceiverLog.of(receiver.log()).afterCrashes(2).afterNewStarts();
      assertThat(log.assertOrdered())
          .isEqualTo(Map.of(new Received.Lane("killed", "killed"), EVENTS + 10L));
      assertThat(log.repeats()).isLessThanOrEqualTo(1);
      assertThat(receiver.log(request -> !request.acknowledged()))
          .extracting(Received::attempt)
          .as("the attempt whose verdict was lost is made once more")
          .containsExactly(1, 2, 2);
    }
  }

  private static PodProcess start(TestDatabase database) {
    return PodProcess.launch(
            PodCommand.on(database.url(), database.username(), database.password())
                .small()
                .with("seriatim.partitions.count", "4"))
        .awaitReady();
  }

  private static void publish(PodProcess pod, int from, int to) throws Exception {
    IntFunction<String> event =
        number ->
            "{\"id\": \"e%1$d\", \"tenant\": \"acme\", \"type\": \"test\", \"payload\": %1$d}"
                .formatted(number);
    for (int first = from; first <= to; first += 1000) {
      List<String> some =
          IntStream.rangeClosed(first, Math.min(to, first + 999)).mapToObj(event).toList();
      pod.post("/v1/events/batch", some.stream().collect(Collectors.joining(",", "[", "]")));
    }
  }

  private static int rows(JdbcClient jdbc, String condition) {
    return jdbc.sql("select count(*) from delivery where " + condition)
        .query(Integer.class)
        .single();
  }
}
