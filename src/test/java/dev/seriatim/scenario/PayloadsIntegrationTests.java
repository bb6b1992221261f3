package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** What goes in, what comes out and what is kept of the answers, through the whole service. */
@ExtendWith(Pod.class)
class PayloadsIntegrationTests {

  /** H1. All are JSON values; what is odd about them must survive. */
  private static final List<String> ODD =
      List.of(
          "{\"zebra\":1,\"alpha\":2}",
          "{\"a\":1,\"a\":2}",
          "{ \"big\" : 1234567890123456789012345 ,\t\"one\":1.0,\"e\":1E+02 }",
          "[\"\\u0000\",\"\\ud800\",\"\\/\",\"\uFEFF\",\"\u00e9\",\"e\u0301\",\"\uD83D\uDE00\"]",
          "\"text\"",
          "-0.0",
          "null");

  @Test
  void oddPayloadsArriveAsWrittenInEveryMode(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h1")) {
      scenario.subscribe("h1", "SUBSCRIPTION", Scenario.QUICK);
      int number = 0;
      for (String payload : ODD) {
        accepted(pod.post("/v1/events", scenario.event("env" + number, "t", "r", payload)));
        accepted(
            pod.post(
                "/v1/events",
                """
                {"specversion": "1.0", "id": "str%d", "source": "/test", "type": "t", "tenant": "h1",
                 "datacontenttype": "application/json", "data": %s}"""
                    .formatted(number, payload),
                "Content-Type",
                "application/cloudevents+json"));
        number++;
      }
      scenario.publishAll(
          ODD.stream()
              .map(payload -> scenario.event("bat" + ODD.indexOf(payload), "t", "r", payload))
              .toList());
      scenario.receiver.awaitAcknowledged(3 * ODD.size());

      scenario.endsInOrder();
      for (Received request : scenario.receiver.log()) {
        int which = Integer.parseInt(request.eventId().substring(3));
        assertThat(request.body())
            .as(request.eventId())
            .isEqualTo(ODD.get(which).getBytes(StandardCharsets.UTF_8));
        assertThat(request.header("content-type")).startsWith("application/json");
      }
    }
  }

  /** H1, where the body of the request is the payload: any bytes at all. */
  @Test
  void bytesOfBinaryCloudEventsArriveAsTheyAre(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h1-binary")) {
      scenario.subscribe("h1-binary", "SUBSCRIPTION", Scenario.QUICK);
      List<byte[]> bodies =
          Stream.concat(
                  Stream.of(
                      new byte[] {0, (byte) 0xff, (byte) 0xfe, 13, 10, 0},
                      "\uFEFF{\"a\":1}".getBytes(StandardCharsets.UTF_8),
                      "{\"trailing\":\"newline\"}\n".getBytes(StandardCharsets.UTF_8)),
                  ODD.stream().map(payload -> payload.getBytes(StandardCharsets.UTF_8)))
              .toList();
      for (int i = 0; i < bodies.size(); i++) {
        accepted(
            pod.sendBytes(
                "POST",
                "/v1/events",
                bodies.get(i),
                "Content-Type",
                "application/x-odd; v=\"1\"",
                "ce-specversion",
                "1.0",
                "ce-id",
                "bin" + i,
                "ce-source",
                "/test",
                "ce-type",
                "t",
                "ce-tenant",
                "h1-binary"));
      }
      scenario.receiver.awaitAcknowledged(bodies.size());

      scenario.endsInOrder();
      List<Received> log = scenario.receiver.log();
      for (int i = 0; i < bodies.size(); i++) {
        assertThat(log.get(i).eventId()).isEqualTo("bin" + i);
        assertThat(log.get(i).body()).isEqualTo(bodies.get(i));
        assertThat(log.get(i).header("content-type")).isEqualTo("application/x-odd; v=\"1\"");
      }
    }
  }

  /** H2: the page behind the redirect would answer 200. */
  @Test
  void redirectIsAFailureWithItsLocationKept(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h2")) {
      String elsewhere = scenario.receiver.url("/elsewhere");
      scenario.receiver.on(
          "/h2",
          request ->
              request.attempt() == 1 ? Reply.status(302, "Location: " + elsewhere) : Reply.ok());
      scenario.subscribe("h2", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publish("e1", "r");
      scenario.receiver.awaitAcknowledged(1);

      scenario.endsInOrder();
      assertThat(scenario.receiver.log()).hasSize(2).allMatch(r -> r.path().equals("/h2"));
      Map<String, Object> first = attempts(scenario).getFirst();
      assertThat(first)
          .containsEntry("verdict", "REDIRECT")
          .containsEntry("status", 302)
          .containsEntry("location", elsewhere);
    }
  }

  /** H3: the rest is not read, and it is delivered all the same. */
  @Test
  void hugeAnswerIsCutAndDeliveredOnce(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h3")) {
      scenario.receiver.on("/h3", request -> Reply.of(200, new byte[10 * 1024 * 1024]));
      scenario.subscribe("h3", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publish("e1", "r");
      scenario.receiver.awaitAcknowledged(1);

      scenario.endsInOrder();
      assertThat(scenario.receiver.log()).hasSize(1);
      assertThat((byte[]) attempts(scenario).getFirst().get("response_body")).hasSize(16 * 1024);
    }
  }

  /** H5. */
  @Test
  void oddAnswersAreStored(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h5")) {
      byte[] body = {'a', 0, (byte) 0xff, (byte) 0xc3, 'z'};
      String[] thousand = new String[1000];
      for (int i = 0; i < thousand.length; i++) {
        thousand[i] = "X-" + i + ": " + "v".repeat(20);
      }
      scenario.receiver.on(
          "/h5",
          request ->
              request.sequence() == 1
                  ? Reply.of(200, body, "X-Latin: caf\u00e9", "X-Nul: a\0b")
                  : Reply.of(200, body, thousand));
      scenario.subscribe("h5", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publishLine(2, "r");
      scenario.receiver.awaitAcknowledged(2);

      scenario.endsInOrder();
      List<Map<String, Object>> attempts = attempts(scenario);
      assertThat(attempts)
          .hasSize(2)
          .allSatisfy(
              attempt -> {
                assertThat(attempt).containsEntry("verdict", "DELIVERED");
                assertThat((byte[]) attempt.get("response_body")).isEqualTo(body);
              });
      assertThat((String) attempts.get(0).get("response_headers"))
          .contains("X-Latin: caf\u00e9")
          .contains("X-Nul: a")
          .doesNotContain("\0");
      assertThat((String) attempts.get(1).get("response_headers")).contains("X-1: vvv");
    }
  }

  /** H6. */
  @Test
  void retriesKeepTheIdAndAreSignedAfresh(TestService pod) throws Exception {
    try (Scenario scenario = Scenario.on(pod, "h6")) {
      scenario.receiver.on("/h6", Behaviour.failingFirst(1));
      // A second and more apart, so that unix seconds differ.
      String secret =
          scenario
              .subscribe(
                  "h6",
                  "RESOURCE",
                  """
                  {"initialDelay": "PT1.1S", "maxDelay": "PT1.1S", "jitter": 0}""")
              .get("secret")
              .stringValue();
      scenario.publish("e.1", "k\u00e4y 1");
      scenario.receiver.awaitAcknowledged(1);

      scenario.endsInOrder();
      List<Received> log = scenario.receiver.log();
      assertThat(log).extracting(Received::attempt).containsExactly(1, 2);
      assertThat(log).extracting(Received::webhookId).containsOnly(log.getFirst().webhookId());
      assertThat(log.getFirst().webhookId()).doesNotContain(".");
      assertThat(log).extracting(r -> r.header("webhook-timestamp")).doesNotHaveDuplicates();
      assertThat(log).extracting(r -> r.header("webhook-signature")).doesNotHaveDuplicates();
      for (Received request : log) {
        verify(request, secret);
      }
    }
  }

  /** As a receiver would: the official library, and the order's signature by hand. */
  private static void verify(Received request, String secret) throws Exception {
    new Webhook(secret)
        .verify(
            request.text(),
            Map.of(
                "webhook-id", List.of(request.webhookId()),
                "webhook-timestamp", List.of(request.header("webhook-timestamp")),
                "webhook-signature", List.of(request.header("webhook-signature"))));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(
        new SecretKeySpec(
            Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
    String signed =
        String.join(
            ".",
            request.webhookId(),
            request.header("webhook-timestamp"),
            request.header("seriatim-key"),
            request.header("seriatim-sequence"));
    assertThat(request.header("seriatim-order-signature"))
        .isEqualTo(
            "v1,"
                + Base64.getEncoder()
                    .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8))));
  }

  /** H10. */
  @Test
  void duplicateInsideABatchIsDeliveredOnce(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h10")) {
      scenario.subscribe("h10", "SUBSCRIPTION", Scenario.QUICK);
      Answer answer =
          pod.post(
              "/v1/events/batch",
              "["
                  + String.join(
                      ",",
                      scenario.event("a", "r"),
                      scenario.event("a", "r"),
                      scenario.event("a", "t", "r", "{\"other\":1}"),
                      scenario.event("b", "r"))
                  + "]");
      scenario.receiver.awaitAcknowledged(2);

      assertThat(answer.json().get("results"))
          .extracting(result -> result.get("status").intValue())
          .containsExactly(202, 200, 409, 202);
      assertThat(answer.json().at("/results/1/deliveries"))
          .isEqualTo(answer.json().at("/results/0/deliveries"));
      assertThat(scenario.endsInOrder()).containsValue(2L);
      assertThat(scenario.receiver.log()).extracting(Received::eventId).containsExactly("a", "b");
    }
  }

  /** H11. */
  @Test
  void eventThatMatchesNothingIsAnsweredAsSuch(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h11")) {
      Answer answer = scenario.publish("e1", "r");

      assertThat(answer.json().get("deliveries").isArray()).isTrue();
      assertThat(answer.json().get("deliveries")).isEmpty();
      assertThat(scenario.status("e1").get("deliveries")).isEmpty();
    }
  }

  /** H12: refused by name, and nothing of it is stored. */
  @Test
  void unusableEventsAreRefusedAndNotStored(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "h12")) {
      scenario.subscribe("h12", "SUBSCRIPTION", Scenario.QUICK);
      String large = "\"" + "x".repeat(1024 * 1024) + "\"";

      Answer tooLarge = pod.post("/v1/events", scenario.event("e1", "t", "r", large));
      Answer longKey = pod.post("/v1/events", scenario.event("e2", "k".repeat(8 * 1024)));
      Answer nulKey = pod.post("/v1/events", scenario.event("e3", "a\\u0000b"));

      assertThat(tooLarge.status()).isEqualTo(413);
      assertThat(longKey.status()).isEqualTo(400);
      assertThat(longKey.body()).contains("resource");
      assertThat(nulKey.status()).isEqualTo(400);
      assertThat(nulKey.body()).contains("resource");
      assertThat(
              scenario
                  .jdbc()
                  .sql("select count(*) from event where tenant = 'h12'")
                  .query(Integer.class)
                  .single())
          .isZero();
      assertThat(scenario.endsInOrder()).isEmpty();
    }
  }

  @Test
  void statusOfAnEventWithASlashInItsIdIsFound(TestService pod) {
    try (Scenario scenario = Scenario.on(pod, "slash")) {
      scenario.subscribe("slash", "SUBSCRIPTION", Scenario.QUICK);
      scenario.publish("order/7%", "r");
      scenario.receiver.awaitAcknowledged(1);
      scenario.endsInOrder();

      JsonNode status = scenario.status("order%2F7%25");

      assertThat(status.at("/id").asString("")).as(status.toString()).isEqualTo("order/7%");
      assertThat(status.at("/deliveries/0/state").asString("")).isEqualTo("DELIVERED");
    }
  }

  private static List<Map<String, Object>> attempts(Scenario scenario) {
    return scenario
        .jdbc()
        .sql(
            """
            select a.* from attempt a join event e on e.pk = a.event_pk
            where e.tenant = :tenant order by a.sequence, a.attempt
            """)
        .param("tenant", scenario.tenant)
        .query()
        .listOfRows();
  }

  private static void accepted(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
  }
}
