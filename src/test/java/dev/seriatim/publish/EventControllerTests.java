package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.TooManyWaitingException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.dao.DataAccessResourceFailureException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The way in over real HTTP, with the bytes as a producer sends them. */
@SpringBootTest(
    classes = PublishServer.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "seriatim.publish.max-batch-body=4MB",
      "spring.datasource.url=none" // nobody connects; without a name an embedded one would start
    })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventControllerTests {

  private static final String JSON = "application/json";
  private static final String EVENT =
      "{\"id\":\"e1\",\"tenant\":\"acme\",\"type\":\"order.paid\",\"payload\":{\"a\":1}}";
  private static final int MEBIBYTE = 1024 * 1024;

  private final HttpClient client = HttpClient.newHttpClient();
  private final JsonMapper mapper = new JsonMapper();

  @LocalServerPort private int port;
  @Autowired private FakePublisher publisher;

  @BeforeEach
  void reset() {
    publisher.reset();
  }

  @AfterAll
  void close() {
    client.close();
  }

  @Test
  void firstPublishIsAcceptedAndARepeatAnsweredTheSame() throws Exception {
    HttpResponse<String> first = post("/v1/events", JSON, EVENT);
    assertThat(first.statusCode()).isEqualTo(202);
    assertThat(first.headers().firstValue("Content-Type")).hasValue(JSON);
    assertThat(json(first))
        .isEqualTo(
            mapper.readTree(
                """
                {"id": "e1", "tenant": "acme", "duplicate": false,
                 "deliveries": [{"subscription": "sub", "key": "sub", "sequence": 1, "partition": 5}]}"""));

    HttpResponse<String> repeat = post("/v1/events", JSON, EVENT);
    assertThat(repeat.statusCode()).isEqualTo(200);
    assertThat(json(repeat).get("duplicate").asBoolean()).isTrue();
    assertThat(json(repeat).get("deliveries")).isEqualTo(json(first).get("deliveries"));
    assertThat(publisher.stored()).hasSize(1);
  }

  @Test
  void sameIdWithOtherContentIsAConflict() throws Exception {
    post("/v1/events", JSON, EVENT);
    assertProblem(post("/v1/events", JSON, EVENT.replace("1}}", "2}}")), 409, null);
  }

  // H11
  @Test
  void eventThatNobodyWantsIsAnsweredAsSuch() throws Exception {
    JsonNode answer = json(post("/v1/events", JSON, EVENT.replace("order.paid", "unwanted")));
    assertThat(answer.get("deliveries").size()).isZero();
    assertThat(answer.get("note").asString())
        .isEqualTo("no enabled subscription of this tenant wants this type");
  }

  @Test
  void unorderedDeliveryHasNeitherKeyNorSequence() throws Exception {
    JsonNode answer = json(post("/v1/events", JSON, EVENT.replace("order.paid", "unordered")));
    assertThat(answer.get("deliveries"))
        .isEqualTo(mapper.readTree("[{\"subscription\":\"sub-none\",\"partition\":3}]"));
  }

  @Test
  void missingIdIsGenerated() throws Exception {
    String id =
        json(post("/v1/events", JSON, EVENT.replace("\"id\":\"e1\",", ""))).get("id").asString();
    assertThat(id).matches("evt_[0-9a-f]{32}").isEqualTo(publisher.stored().getFirst().id());
  }

  // H1
  @ParameterizedTest
  @MethodSource("dev.seriatim.publish.EnvelopeReaderTests#payloads")
  void payloadPassesByteForByte(String payload) throws Exception {
    byte[] body =
        ("\uFEFF{\"tenant\":\"acme\",\"payload\":  " + payload + "\n ,\"type\":\"t\"}\r\n")
            .getBytes(StandardCharsets.UTF_8);
    assertThat(send("/v1/events", BodyPublishers.ofByteArray(body), "Content-Type", JSON))
        .returns(202, HttpResponse::statusCode);
    assertThat(send("/v1/events", chunked(body), "Content-Type", JSON + "; charset=UTF-8"))
        .returns(202, HttpResponse::statusCode);
    assertThat(publisher.stored())
        .hasSize(2)
        .allSatisfy(
            event -> {
              assertThat(event.payload()).isEqualTo(payload.getBytes(StandardCharsets.UTF_8));
              assertThat(event.contentType()).isEqualTo(JSON);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"type":"t","payload":1}                                     | tenant
          {"tenant":"a","type":"t","payload":1,"extra":1}              | extra
          {"tenant":"a","type":7,"payload":1}                          | type
          {"tenant":"a","type":"t","resource":"\\u0000","payload":1}   | resource
          {"tenant":"a","type":"t","payload":{]                        | payload
          {"tenant":"a","type":"t","\\ud800":1}                        | ?
          []                                                           |
          not json                                                     |
          {"tenant":"a","type":"t","payload":1} x                      |
          """)
  void whatIsWrongIsNamed(String body, @Nullable String field) throws Exception {
    assertProblem(post("/v1/events", JSON, body), 400, field);
    assertThat(publisher.calls()).isZero();
  }

  @Test
  void emptyBodyIsRefused() throws Exception {
    assertProblem(post("/v1/events", JSON, ""), 400, null);
    assertProblem(post("/v1/events/batch", JSON, ""), 400, null);
  }

  @Test
  void queryParametersAreRefusedByName() throws Exception {
    assertProblem(post("/v1/events?dryRun=true&x=1", JSON, EVENT), 400, "dryRun");
    assertProblem(post("/v1/events/batch?x", JSON, "[" + EVENT + "]"), 400, "x");
  }

  // H12
  @Test
  void payloadOverTheLimitIsTooLargeWhicheverWayItIsSent() throws Exception {
    String fits = EVENT.replace("{\"a\":1}", quoted(MEBIBYTE));
    assertThat(post("/v1/events", JSON, fits).statusCode()).isEqualTo(202);
    publisher.reset();
    for (int size : new int[] {MEBIBYTE + 1, 2 * MEBIBYTE, 20 * MEBIBYTE}) {
      byte[] body = EVENT.replace("{\"a\":1}", quoted(size)).getBytes(StandardCharsets.UTF_8);
      assertProblem(
          send("/v1/events", BodyPublishers.ofByteArray(body), "Content-Type", JSON), 413, null);
      HttpResponse<String> answer = send("/v1/events", chunked(body), "Content-Type", JSON);
      assertProblem(answer, 413, null);
      assertThat(answer.body()).contains("seriatim.publish.max-payload");
    }
    assertThat(publisher.calls()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /v1/events       | text/plain
          /v1/events       | application/xml
          /v1/events       | application/json; charset=iso-8859-1
          /v1/events       | application/json;charset="UTF-16"
          /v1/events       | application/vnd.acme+json
          /v1/events       | application/x-ndjson
          /v1/events       | application/x-www-form-urlencoded
          /v1/events       | multipart/form-data; boundary=x
          /v1/events       | application/cloudevents-batch+json
          /v1/events       | application/cloudevents+avro
          /v1/events       | application/cloudevents+json; charset=latin1
          /v1/events       | nonsense
          /v1/events/batch | text/plain
          /v1/events/batch | application/cloudevents+json
          /v1/events/batch | application/json; charset=utf-16
          /v1/events/batch | application/x-ndjson; charset=latin1
          """)
  void otherContentTypesAreNotSupported(String path, String contentType) throws Exception {
    assertProblem(post(path, contentType, EVENT), 415, null);
    assertThat(publisher.calls()).isZero();
  }

  @Test
  void missingContentTypeAndCompressedBodiesAreNotSupported() throws Exception {
    assertProblem(send("/v1/events", BodyPublishers.ofString(EVENT)), 415, null);
    assertProblem(
        send(
            "/v1/events",
            BodyPublishers.ofString(EVENT),
            "Content-Type",
            JSON,
            "Content-Encoding",
            "gzip"),
        415,
        null);
  }

  @Test
  void tooManyWaitingIsAnsweredWithWhenToComeBack() throws Exception {
    publisher.failWith(new TooManyWaitingException(10));
    for (String path : List.of("/v1/events", "/v1/events/batch")) {
      String body = path.endsWith("batch") ? "[" + EVENT + "]" : EVENT;
      HttpResponse<String> answer = post(path, JSON, body);
      assertProblem(answer, 429, null);
      assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
    }
  }

  @Test
  void databaseThatIsAwayIsUnavailable() throws Exception {
    publisher.failWith(new DataAccessResourceFailureException("gone"));
    assertProblem(post("/v1/events", JSON, EVENT), 503, null);
    assertProblem(post("/v1/events/batch", JSON, "[" + EVENT + ",{}]"), 503, null);
  }

  @Test
  void structuredCloudEventIsPublished() throws Exception {
    String event =
        "{\"specversion\":\"1.0\",\"id\":\"c1\",\"source\":\"/s\",\"type\":\"t\",\"tenant\":\"acme\","
            + "\"subject\":\"order_7\",\"data\": {\"b\":1.0, \"a\":2} }";
    HttpResponse<String> answer = post("/v1/events", "application/cloudevents+json", event);
    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(text(only())).isEqualTo("{\"b\":1.0, \"a\":2}");
    assertThat(only().resource()).isEqualTo("order_7");
    assertProblem(
        post("/v1/events", "application/cloudevents+json", event.replace("acme", "")),
        400,
        "tenant");
  }

  @Test
  void base64MayMakeTheBodyLargerThanThePayload() throws Exception {
    String base64 = java.util.Base64.getEncoder().encodeToString(new byte[MEBIBYTE]);
    String event =
        "{\"specversion\":\"1.0\",\"id\":\"c1\",\"source\":\"/s\",\"type\":\"t\",\"tenant\":\"acme\",\"data_base64\":\"%s\"}";
    assertThat(
            post("/v1/events", "application/cloudevents+json", event.formatted(base64))
                .statusCode())
        .isEqualTo(202);
    String larger = java.util.Base64.getEncoder().encodeToString(new byte[MEBIBYTE + 1]);
    assertProblem(
        post("/v1/events", "application/cloudevents+json", event.formatted(larger)), 413, null);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/octet-stream",
        "text/plain; charset=ebcdic",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        ""
      })
  void binaryCloudEventKeepsBodyAndContentType(String contentType) throws Exception {
    byte[] body = new byte[256];
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) i;
    }
    HttpResponse<String> answer =
        send("/v1/events", BodyPublishers.ofByteArray(body), binary(contentType, "c1"));
    assertThat(answer.statusCode()).isEqualTo(202);
    assertThat(only().payload()).isEqualTo(body);
    assertThat(only().resource()).isEqualTo("Euro € 😀");
    assertThat(only().contentType())
        .isEqualTo(contentType.isEmpty() ? "application/octet-stream" : contentType);
  }

  @Test
  void binaryCloudEventMayBeEmptyAndIsLimitedToThePayload() throws Exception {
    assertThat(send("/v1/events", BodyPublishers.noBody(), binary("text/plain", "c1")))
        .returns(202, HttpResponse::statusCode);
    assertThat(only().payload()).isEmpty();
    assertProblem(
        send(
            "/v1/events",
            BodyPublishers.ofByteArray(new byte[MEBIBYTE + 1]),
            binary("text/plain", "c2")),
        413,
        null);
  }

  @Test
  void binaryCloudEventNamesWhatIsWrong() throws Exception {
    assertProblem(
        send("/v1/events", BodyPublishers.ofString("x"), "ce-specversion", "1.0", "ce-id", "%C0"),
        400,
        "ce-id");
    assertProblem(
        send("/v1/events", BodyPublishers.ofString("x"), "ce-specversion", "1.0"), 400, "source");
    assertProblem(
        send("/v1/events", BodyPublishers.ofString("x"), binary("no type", "c1")),
        400,
        "Content-Type");
  }

  // H10
  @Test
  void batchAnswersEveryEventInOrder() throws Exception {
    String batch =
        """
        [{"id":"a","tenant":"acme","type":"t","payload": 1.0 },
         {"id":"b","tenant":"acme","type":"*","payload":1},
         {"id":"a","tenant":"acme","type":"t","payload":1.0},
         7,
         {"id":"a","tenant":"acme","type":"t","payload":2},
         {"id":"c","tenant":"acme","type":"unwanted","payload":"\\ud800"}]
        """;
    HttpResponse<String> answer = post("/v1/events/batch", JSON, batch);
    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode results = json(answer).get("results");
    assertThat(ints(results, "index")).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(ints(results, "status")).containsExactly(202, 400, 200, 400, 409, 202);
    assertThat(results.get(0))
        .isEqualTo(
            mapper.readTree(
                """
                {"index": 0, "status": 202, "id": "a", "tenant": "acme", "duplicate": false,
                 "deliveries": [{"subscription": "sub", "key": "sub", "sequence": 1, "partition": 5}]}"""));
    assertThat(results.get(1).get("problem").get("field").asString()).isEqualTo("type");
    assertThat(results.get(1).get("problem").get("type").asString())
        .isEqualTo("/problems/invalid-request");
    assertThat(results.get(1).size()).isEqualTo(3);
    assertThat(results.get(2).get("duplicate").asBoolean()).isTrue();
    assertThat(results.get(4).get("problem").get("type").asString())
        .isEqualTo("/problems/conflict");
    assertThat(results.get(5).get("note")).isNotNull();
    assertThat(publisher.stored()).extracting(NewEvent::id).containsExactly("a", "c");
    assertThat(publisher.stored())
        .extracting(EventControllerTests::text)
        .containsExactly("1.0", "\"\\ud800\"");
    assertThat(publisher.calls()).isEqualTo(1);
  }

  @Test
  void badLineRefusesOnlyItself() throws Exception {
    byte[] bad =
        "{\"id\":\"b\",\"tenant\":\"acme\",\"type\":\"t\",\"payload\":\"?\"}\r\n\n"
            .getBytes(StandardCharsets.UTF_8);
    bad[bad.length - 6] = (byte) 0xFF;
    byte[] batch =
        join(
            ("\uFEFF" + EVENT + "\n").getBytes(StandardCharsets.UTF_8),
            bad,
            "{id\n".getBytes(StandardCharsets.UTF_8),
            EVENT.replace("e1", "e2").getBytes(StandardCharsets.UTF_8));
    HttpResponse<String> answer =
        send(
            "/v1/events/batch",
            BodyPublishers.ofByteArray(batch),
            "Content-Type",
            "application/x-ndjson");
    assertThat(ints(json(answer).get("results"), "status")).containsExactly(202, 400, 400, 202);
    assertThat(answer.body()).contains("The line is not valid JSON");
    assertThat(publisher.stored()).extracting(NewEvent::id).containsExactly("e1", "e2");
  }

  @Test
  void batchOfCloudEventsIsPublished() throws Exception {
    String batch =
        "[{\"specversion\":\"1.0\",\"id\":\"c1\",\"source\":\"/s\",\"type\":\"t\",\"tenant\":\"acme\",\"data\":1},{}]";
    HttpResponse<String> answer =
        post("/v1/events/batch", "application/cloudevents-batch+json", batch);
    assertThat(ints(json(answer).get("results"), "status")).containsExactly(202, 400);
  }

  @Test
  void batchWithoutAGoodEventIsAnsweredWithoutTheDatabase() throws Exception {
    publisher.failWith(new DataAccessResourceFailureException("gone"));
    HttpResponse<String> answer = post("/v1/events/batch", JSON, "[{},1]");
    assertThat(ints(json(answer).get("results"), "status")).containsExactly(400, 400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", " [ ] ", "{}", "[{\"id\":", "[1,]", "[1]x", "null"})
  void arrayThatIsEmptyOrCannotBeReadIsRefusedAsAWhole(String body) throws Exception {
    assertThat(post("/v1/events/batch", JSON, body).statusCode()).isEqualTo(400);
    assertThat(publisher.calls()).isZero();
  }

  @Test
  void batchWithoutLinesIsRefused() throws Exception {
    assertProblem(post("/v1/events/batch", "application/x-ndjson", "\n \r\n"), 400, null);
  }

  @Test
  void malformedArrayStoresNothingAndNamesTheElement() throws Exception {
    assertProblem(post("/v1/events/batch", JSON, "[" + EVENT + ",{\"id\" 1}]"), 400, "[1]");
    assertThat(publisher.calls()).isZero();
  }

  @Test
  void thousandEventsAreTheMost() throws Exception {
    String line = EVENT.replace("\"id\":\"e1\",", "");
    String thousand = String.join("\n", Collections.nCopies(1000, line));
    HttpResponse<String> answer = post("/v1/events/batch", "application/x-ndjson", thousand);
    assertThat(ints(json(answer).get("results"), "status")).hasSize(1000).containsOnly(202);
    publisher.reset();
    assertProblem(
        post("/v1/events/batch", "application/x-ndjson", thousand + "\n" + line), 413, null);
    assertProblem(
        post("/v1/events/batch", JSON, "[" + (thousand + "\n" + line).replace("\n", ",") + "]"),
        413,
        null);
    assertThat(publisher.calls()).isZero();
  }

  // H12
  @Test
  void batchIsLimitedInAllAndEachEventByItself() throws Exception {
    String large = EVENT.replace("{\"a\":1}", quoted(MEBIBYTE + 1));
    HttpResponse<String> answer =
        post("/v1/events/batch", JSON, "[" + EVENT.replace("e1", "e2") + "," + large + "]");
    assertThat(ints(json(answer).get("results"), "status")).containsExactly(202, 413);
    publisher.reset();
    byte[] body =
        ("[" + String.join(",", Collections.nCopies(4, large)) + "]")
            .getBytes(StandardCharsets.UTF_8);
    assertProblem(
        send("/v1/events/batch", BodyPublishers.ofByteArray(body), "Content-Type", JSON),
        413,
        null);
    assertProblem(send("/v1/events/batch", chunked(body), "Content-Type", JSON), 413, null);
    assertThat(publisher.calls()).isZero();
  }

  @Test
  void bodyThatEndsEarlyStoresNothing() throws Exception {
    String answer =
        raw(
            "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 1000\r\nConnection: close\r\n\r\n"
                + EVENT);
    assertThat(answer).startsWith("HTTP/1.1 400 ");
    assertThat(publisher.calls()).isZero();
  }

  @Test
  void brokenChunksAreRefused() throws Exception {
    String answer =
        raw(
            "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{\"id\"\r\nzz\r\n");
    assertThat(answer).startsWith("HTTP/1.1 400 ");
    assertThat(publisher.calls()).isZero();
  }

  @Test
  void tooLargeABodyIsRefusedBeforeItIsSentWhenTheClientAsks() throws Exception {
    String answer =
        raw(
            "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 99999999999\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n");
    assertThat(answer).contains("HTTP/1.1 413 ");
  }

  private static String[] binary(String contentType, String id) {
    List<String> headers =
        new java.util.ArrayList<>(
            List.of(
                "ce-specversion",
                "1.0",
                "CE-ID",
                id,
                "ce-source",
                "/s",
                "ce-type",
                "t",
                "ce-tenant",
                "acme",
                "ce-subject",
                "Euro%20%E2%82%AC%20%F0%9F%98%80",
                "ce-partitionkey",
                "7"));
    if (!contentType.isEmpty()) {
      headers.addAll(List.of("Content-Type", contentType));
    }
    return headers.toArray(String[]::new);
  }

  private NewEvent only() {
    assertThat(publisher.stored()).hasSize(1);
    return publisher.stored().getFirst();
  }

  private static String text(NewEvent event) {
    return new String(event.payload(), StandardCharsets.UTF_8);
  }

  /** A JSON string of so many bytes, quotes included. */
  private static String quoted(int bytes) {
    return "\"" + "x".repeat(bytes - 2) + "\"";
  }

  private static byte[] join(byte[]... parts) {
    return Arrays.stream(parts)
        .collect(
            java.io.ByteArrayOutputStream::new,
            (out, part) -> out.writeBytes(part),
            (a, b) -> a.writeBytes(b.toByteArray()))
        .toByteArray();
  }

  private static BodyPublisher chunked(byte[] body) {
    return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
  }

  private List<Integer> ints(JsonNode results, String member) {
    return results.valueStream().map(result -> result.get(member).asInt()).toList();
  }

  private JsonNode json(HttpResponse<String> answer) {
    return mapper.readTree(answer.body());
  }

  private void assertProblem(HttpResponse<String> answer, int status, @Nullable String field) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    JsonNode problem = json(answer);
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(problem.get("detail").asString()).isNotEmpty();
    assertThat(problem.path("field").asString("")).isEqualTo(field == null ? "" : field);
  }

  private HttpResponse<String> post(String path, String contentType, String body) throws Exception {
    return send(path, BodyPublishers.ofString(body), "Content-Type", contentType);
  }

  private HttpResponse<String> send(String path, BodyPublisher body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).POST(body);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** Sends exactly this, then nothing more, and reads until the server closes. */
  private String raw(String request) throws IOException {
    try (Socket socket = new Socket("localhost", port)) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
