package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a running service writes to its log, in a process of its own. */
class StructuredLogsIntegrationTests {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

  /** In everything that is nobody's business but the producer's and the receiver's. */
  private static final String MARKER = "kX7marker";

  private static final String MARKER_IN_HEX =
      HexFormat.of().formatHex(MARKER.getBytes(StandardCharsets.UTF_8));
  private static final String SECRET =
      "whsec_"
          + Base64.getEncoder()
              .encodeToString(
                  (MARKER + "-32-bytes-of-a-secret--").getBytes(StandardCharsets.UTF_8));

  @ParameterizedTest
  @CsvSource({"ecs, message", "logstash, message"})
  void eachLineIsOneJsonObjectAndSaysWhatItIsAbout(String format, String message) throws Exception {
    try (TestDatabase database = TestDatabase.create();
        PodProcess pod = start(database, format);
        Receiver receiver = new Receiver()) {
      park(pod, receiver);

      List<JsonNode> lines =
          pod.log().lines().map(line -> JsonMapper.shared().readTree(line)).toList();
      assertThat(lines).allSatisfy(line -> assertThat(line.isObject()).isTrue());
      for (String about : List.of("Attempt 1 failed: SERVER_ERROR", "is held: ")) {
        JsonNode line =
            lines.stream()
                .filter(one -> one.get(message).asString().contains(about))
                .findFirst()
                .orElseThrow(() -> new AssertionError(pod.log()));
        assertThat(line.at("/tenant").asString()).isEqualTo("acme");
        assertThat(line.at("/subscription").asString()).isEqualTo("orders");
        assertThat(line.at("/eventId").asString()).isEqualTo("evt 1");
        assertThat(line.at("/key").asString()).isEqualTo("order_7");
        assertThat(line.at("/sequence").asString()).isEqualTo("1");
        assertThat(line.at("/traceId").asString()).isEqualTo(TRACE);
      }
    }
  }

  @Test
  void eachLineIsLogfmt() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        PodProcess pod = start(database, "dev.seriatim.Logfmt");
        Receiver receiver = new Receiver()) {
      park(pod, receiver);

      assertThat(pod.log().lines())
          .allMatch(line -> line.startsWith("time=") && line.contains(" message="))
          .anyMatch(
              line ->
                  line.contains(" level=WARN ")
                      && line.contains(" tenant=acme subscription=orders eventId=\"evt 1\" ")
                      && line.contains(" sequence=1 key=order_7 traceId=" + TRACE));
    }
  }

  /** In whatever way it fails. */
  @Test
  void payloadsAndSecretsAreNeverInTheLog() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        PodProcess pod = start(database, "ecs");
        Receiver receiver = new Receiver();
        ServerSocket noHttp = new ServerSocket(0, 5, InetAddress.ofLiteral("127.0.0.1"))) {
      Thread.ofVirtual().start(() -> answerWithTheMarker(noHttp));
      receiver.on("/" + MARKER, request -> Reply.of(500, request.body(), "X-Echo: " + MARKER));
      receiver.on("/gone/" + MARKER, Behaviour.always(410));
      subscribe(pod, "error", receiver.url("/" + MARKER), "PARK");
      subscribe(pod, "dead", receiver.url("/" + MARKER), "EJECT");
      subscribe(pod, "gone", receiver.url("/gone/" + MARKER), "EJECT");
      subscribe(pod, "refused", "http://127.0.0.1:1/" + MARKER, "EJECT");
      subscribe(pod, "tls", "https://127.0.0.1:" + noHttp.getLocalPort() + "/" + MARKER, "EJECT");
      subscribe(pod, "http", "http://127.0.0.1:" + noHttp.getLocalPort() + "/" + MARKER, "EJECT");
      pod.post("/v1/events", event("e1", "t", "{\"a\": \"" + MARKER + "\"}"));
      JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
      Patience.until("all have failed", () -> failed(jdbc) == 6);
      // Last: it pauses those that share its partition.
      subscribe(pod, "pause", receiver.url("/" + MARKER), "PAUSE");
      pod.post("/v1/events", event("e0", "t", "{\"a\": \"" + MARKER + "\"}"));
      Patience.until("a partition is paused", () -> pod.log().contains("is paused: "));
      assertThat(pod.log().lines().filter(line -> line.contains("is paused: ")))
          .singleElement()
          .satisfies(
              line ->
                  assertThat(line)
                      .contains(
                          "\"tenant\":\"acme\"",
                          "\"subscription\":\"pause\"",
                          "\"eventId\":\"e0\"",
                          "\"partition\":",
                          "failed once, last with SERVER_ERROR",
                          "\"sequence\":1"));

      // The producer's mistakes, and the database's.
      for (String wrong :
          List.of(
              "{\"payload\": \"" + MARKER,
              "{\"" + MARKER + "\": 1}",
              event("e1", "t", "\"" + MARKER + "-other\""),
              event("e2", "", "\"" + MARKER + "\""),
              event(MARKER.repeat(40), "t", "1"))) {
        assertThat(pod.status("POST", "/v1/events", wrong) / 100).isEqualTo(4);
      }
      assertThat(
              pod.status(
                      "POST",
                      "/v1/subscriptions",
                      "{\"tenant\": \"a\", \"url\": \"ftp://"
                          + MARKER
                          + "\", \"secret\": \""
                          + SECRET
                          + "\"}")
                  / 100)
          .isEqualTo(4);
      jdbc.sql("alter table event add constraint refuses check (type <> 'refused')").update();
      assertThat(pod.status("POST", "/v1/events", event("e3", "refused", "\"" + MARKER + "\"")))
          .isEqualTo(500);

      assertThat(pod.log())
          .contains("Attempt 1 failed: TLS")
          .contains("violates check constraint")
          .doesNotContain(MARKER)
          .doesNotContain(MARKER_IN_HEX)
          .doesNotContain(SECRET.substring(6, 16));
    }
  }

  /** Endpoints to which an attempt was made. */
  private static int failed(JdbcClient jdbc) {
    return jdbc.sql("select count(distinct subscription_pk) from attempt")
        .query(Integer.class)
        .single();
  }

  private static PodProcess start(TestDatabase database, String format) {
    return PodProcess.launch(
            PodCommand.on(database.url(), database.username(), database.password())
                .small()
                .with("seriatim.partitions.count", "4")
                .with("logging.config", "classpath:logback-structured.xml")
                .with("logging.structured.format.console", format)
                .with("logging.level.dev.seriatim", "debug"))
        .awaitReady();
  }

  /** Has one delivery fail for good, with its lane held. */
  private static void park(PodProcess pod, Receiver receiver) throws Exception {
    receiver.on("/orders", Behaviour.always(500));
    pod.post(
        "/v1/subscriptions",
        """
        {"id": "orders", "tenant": "acme", "url": "%s", "ordering": "RESOURCE", "onExhausted": "PARK", "retry": {"maxAttempts": 1}}"""
            .formatted(receiver.url("/orders")));
    pod.post(
        "/v1/events",
        """
        {"specversion": "1.0", "id": "evt 1", "source": "/s", "type": "t", "tenant": "acme", "subject": "order_7",
         "traceparent": "00-%s-b7ad6b7169203331-01", "data": 1}"""
            .formatted(TRACE),
        "application/cloudevents+json");
    Patience.until("a lane is held", () -> pod.log().contains("is held: "));
  }

  private static void subscribe(PodProcess pod, String id, String url, String onExhausted)
      throws Exception {
    pod.post(
        "/v1/subscriptions",
        """
        {"id": "%s", "tenant": "acme", "url": "%s", "onExhausted": "%s", "retry": {"maxAttempts": 1},
         "headers": {"X-Api-Key": "%s"}, "secret": "%s"}"""
            .formatted(id, url, onExhausted, MARKER, SECRET));
  }

  private static String event(String id, String type, String payload) {
    return """
        {"id": "%s", "tenant": "acme", "type": "%s", "payload": %s}"""
        .formatted(id, type, payload);
  }

  private static void answerWithTheMarker(ServerSocket server) {
    while (true) {
      try (var connection = server.accept()) {
        var ignored = connection.getInputStream().read();
        connection.getOutputStream().write((MARKER + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      } catch (java.io.IOException closed) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }
}
