package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SpanLog;
import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From the producer's {@code traceparent} to the receiver's. */
@ExtendWith(Pod.class)
class TracesIntegrationTests {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String TRACEPARENT = "00-" + TRACE + "-" + SPAN + "-01";

  @Test
  void everyAttemptHasItsOwnPlaceInTheProducersTrace(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "trace-retry")) {
      scenario.receiver.on("/trace-retry", Behaviour.failingFirst(2));
      scenario.subscribe("trace-retry", "RESOURCE", Scenario.QUICK);
      publish(scenario, "e1", "traceparent", TRACEPARENT, "tracestate", "congo=t61rcWkgMzE");
      scenario.receiver.awaitAcknowledged(1);

      List<Received> requests = scenario.receiver.log();
      assertThat(requests)
          .hasSize(3)
          .allSatisfy(
              request -> {
                assertContinues(request);
                assertThat(request.header("tracestate")).isEqualTo("congo=t61rcWkgMzE");
              });
      assertThat(requests)
          .extracting(TracesIntegrationTests::parent)
          .doesNotHaveDuplicates()
          .doesNotContain(SPAN);
    }
  }

  @Test
  void largePayloadsAreReadWithTheirTrace(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "trace-large")) {
      scenario.subscribe("trace-large", "RESOURCE", Scenario.QUICK);
      Answer answer =
          pod.post(
              "/v1/events",
              scenario.event("e1", "t", "r", "\"" + "x".repeat(10_000) + "\""),
              "traceparent",
              TRACEPARENT);
      assertThat(answer.status()).as(answer.body()).isEqualTo(202);
      scenario.receiver.awaitAcknowledged(1);

      assertContinues(scenario.receiver.log().getFirst());
    }
  }

  @Test
  void nothingIsMadeUpForAnEventWithoutATrace(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "trace-none")) {
      scenario.subscribe("trace-none", "RESOURCE", Scenario.QUICK);
      scenario.publish("e1", "r");
      scenario.receiver.awaitAcknowledged(1);

      Received request = scenario.receiver.log().getFirst();
      assertThat(request.header("traceparent")).isEmpty();
      assertThat(request.header("tracestate")).isEmpty();
      assertThat(
              scenario
                  .jdbc()
                  .sql("select count(traceparent) from event where tenant = 'trace-none'")
                  .query(Integer.class)
                  .single())
          .isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "what",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      })
  void malformedTraceIsAcceptedAndIgnored(String traceparent, TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "trace-bad")) {
      scenario.subscribe("trace-bad", "NONE", Scenario.QUICK);
      publish(scenario, "e" + traceparent.hashCode(), "traceparent", traceparent);
      scenario.receiver.awaitAcknowledged(1);
      assertThat(scenario.receiver.log().getFirst().header("traceparent")).isEmpty();
      scenario.delete("trace-bad");
    }
  }

  @Test
  void batchAndCloudEventsHaveTheirTracesToo(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "trace-forms")) {
      scenario.subscribe("trace-forms", "NONE", Scenario.QUICK);
      String other = "11111111111111111111111111111111";
      String extension = "00-" + other + "-" + SPAN + "-00";
      post(
          scenario,
          "/v1/events/batch",
          "[%s,%s]".formatted(scenario.event("b1", "r"), scenario.event("b2", "r")),
          "traceparent",
          TRACEPARENT);
      String cloudEvent =
          """
          {"specversion": "1.0", "id": "%s", "source": "/s", "type": "t", "tenant": "trace-forms", %s "data": 1}""";
      String traced = "\"traceparent\": \"%s\", \"tracestate\": \"a=1\",".formatted(extension);
      post(
          scenario,
          "/v1/events/batch",
          "[%s,%s]".formatted(cloudEvent.formatted("c1", traced), cloudEvent.formatted("c2", "")),
          "Content-Type",
          "application/cloudevents-batch+json",
          "traceparent",
          TRACEPARENT);
      post(
          scenario,
          "/v1/events",
          cloudEvent.formatted("c3", traced),
          "Content-Type",
          "application/cloudevents+json");
      post(
          scenario,
          "/v1/events",
          "1",
          "ce-specversion",
          "1.0",
          "ce-id",
          "c4",
          "ce-source",
          "/s",
          "ce-type",
          "t",
          "ce-tenant",
          "trace-forms",
          "ce-traceparent",
          extension);
      post(
          scenario,
          "/v1/events",
          cloudEvent.formatted("c5", "\"traceparent\": 7,"),
          "Content-Type",
          "application/cloudevents+json");
      scenario.receiver.awaitAcknowledged(7);

      assertThat(List.of("b1", "b2", "c2")).allSatisfy(id -> assertContinues(only(scenario, id)));
      assertThat(List.of("c1", "c3", "c4"))
          .allSatisfy(
              id ->
                  assertThat(only(scenario, id).header("traceparent"))
                      .startsWith("00-" + other + "-")
                      .endsWith("-00")
                      .isNotEqualTo(extension));
      assertThat(only(scenario, "c3").header("tracestate")).isEqualTo("a=1");
      assertThat(only(scenario, "c5").header("traceparent")).isEmpty();
    }
  }

  @Test
  void replayContinuesTheTraceAsWell(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "trace-replay")) {
      scenario.receiver.on("/trace-replay", Behaviour.always(500));
      scenario.subscribe("trace-replay", "RESOURCE", "{\"maxAttempts\": 1}");
      publish(scenario, "e1", "traceparent", TRACEPARENT);
      String letters = "/v1/dead-letters?subscription=trace-replay";
      Patience.until("a dead letter", () -> !pod.get(letters).text("/items/0/id").isEmpty());
      scenario.awaitQueued(0);
      scenario.receiver.on("/trace-replay", request -> Reply.ok());

      long letter = pod.get(letters).json().at("/items/0/id").asLong();
      assertThat(pod.post("/v1/dead-letters/" + letter + "/replay", "{}").status()).isEqualTo(200);
      scenario.receiver.awaitAcknowledged(1);

      Received replay = scenario.receiver.log().getLast();
      assertThat(replay.header("seriatim-replay")).isEqualTo("true");
      assertContinues(replay);
    }
  }

  @Test
  void spansFollowAnEventFromTheRequestToTheLastAttemptOnAnotherPod() {
    SpanLog.clear();
    try (TestDatabase database = TestDatabase.create()) {
      Scenario scenario;
      try (TestService first = Pod.startOn(database, SpanLog.settings())) {
        scenario = new Scenario("trace-spans", database, first);
        scenario.receiver.on("/secret-path", Behaviour.failingFirst(2));
        scenario.subscribe("trace-spans", "/secret-path", "RESOURCE", Scenario.LATER);
        publish(scenario, "e1", "traceparent", TRACEPARENT, "tracestate", "a=1");
        scenario.receiver.awaitArrived(1, "attempts", request -> true);
        Patience.until("the first attempt is recorded", () -> attempts(scenario) == 1);
      }
      try (scenario;
          TestService second = Pod.startOn(database, SpanLog.settings())) {
        second.post("/v1/lanes/" + lane(scenario) + "/retry", null);
        scenario.receiver.awaitArrived(2, "attempts", request -> true);
        Patience.until("the second attempt is recorded", () -> attempts(scenario) == 2);
        second.post("/v1/lanes/" + lane(scenario) + "/retry", null);
        scenario.receiver.awaitAcknowledged(1);
        Patience.until("three attempts and a wait", () -> spans().size() >= 5);

        SpanData request =
            spans().stream().filter(s -> s.getKind() == SpanKind.SERVER).findFirst().get();
        assertThat(request.getParentSpanId()).isEqualTo(SPAN);
        assertThat(spans().stream().filter(span -> span != request))
            .hasSize(4)
            .allSatisfy(span -> assertThat(span.getParentSpanId()).isEqualTo(request.getSpanId()));
        List<SpanData> attempts =
            spans().stream().filter(span -> span.getKind() == SpanKind.CLIENT).toList();
        assertThat(attempts)
            .extracting(span -> span.getAttributes().get(AttributeKey.longKey("seriatim.attempt")))
            .containsExactly(1L, 2L, 3L);
        assertThat(scenario.receiver.log())
            .extracting(TracesIntegrationTests::parent)
            .containsExactlyElementsOf(attempts.stream().map(SpanData::getSpanId).toList());
        assertThat(scenario.receiver.log())
            .allSatisfy(received -> assertThat(received.header("tracestate")).isEqualTo("a=1"));
        assertThat(spans()).extracting(SpanData::getName).containsOnlyOnce("queue wait");
        assertThat(spans())
            .extracting(
                span -> span.getResource().getAttribute(AttributeKey.stringKey("service.name")))
            .containsOnly("seriatim");
        assertThat(spans())
            .allSatisfy(
                span -> assertThat(span.getAttributes().toString()).doesNotContain("secret-path"));
      }
    }
  }

  @Test
  void withTracingAnEventWithoutATraceIsInThatOfItsRequest() {
    try (TestService pod = Pod.start(SpanLog.settings());
        Scenario scenario = Scenario.on(pod, "trace-own")) {
      SpanLog.clear();
      for (String probe :
          List.of("/actuator/health/readiness", "/actuator/prometheus", "/actuator/partitions")) {
        assertThat(pod.get(probe).status()).isEqualTo(200);
      }
      scenario.subscribe("trace-own", "RESOURCE", Scenario.QUICK);
      scenario.publish("e1", "r");
      scenario.receiver.awaitAcknowledged(1);
      String traceparent = scenario.receiver.log().getFirst().header("traceparent");
      String trace = traceparent.split("-")[1];
      Patience.until(
          "a request, a wait and an attempt",
          () -> SpanLog.spans(span -> span.getTraceId().equals(trace)).size() == 3);

      assertThat(SpanLog.spans(span -> span.getTraceId().equals(trace)))
          .extracting(SpanData::getName)
          .containsExactlyInAnyOrder("http post /v1/events", "queue wait", "POST");
      // Spans come in the order in which they end: those of the probes would be here by now.
      assertThat(SpanLog.spans(span -> span.getKind() == SpanKind.SERVER))
          .extracting(SpanData::getName)
          .doesNotContain("http get /actuator/health/{*path}")
          .noneMatch(name -> name.contains("actuator"));
    }
  }

  private static List<SpanData> spans() {
    return SpanLog.spans(span -> span.getTraceId().equals(TRACE));
  }

  private static int attempts(Scenario scenario) {
    return scenario.jdbc().sql("select count(*) from attempt").query(Integer.class).single();
  }

  private static long lane(Scenario scenario) {
    return scenario.jdbc().sql("select id from lane").query(Long.class).single();
  }

  private static void publish(Scenario scenario, String id, String... headers) {
    post(scenario, "/v1/events", scenario.event(id, "r"), headers);
  }

  private static void post(Scenario scenario, String path, String body, String... headers) {
    Answer answer = scenario.pod().post(path, body, headers);
    assertThat(answer.status() / 100).as(answer.body()).isEqualTo(2);
    assertThat(answer.body()).doesNotContain("problem");
  }

  private static Received only(Scenario scenario, String event) {
    List<Received> found = scenario.receiver.log(request -> request.eventId().equals(event));
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  private static void assertContinues(Received request) {
    assertThat(request.header("traceparent"))
        .matches("00-" + TRACE + "-[0-9a-f]{16}-01")
        .isNotEqualTo(TRACEPARENT);
  }

  private static String parent(Received request) {
    return request.header("traceparent").split("-")[2];
  }
}
