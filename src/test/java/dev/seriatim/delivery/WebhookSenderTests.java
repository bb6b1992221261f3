package dev.seriatim.delivery;

import static dev.seriatim.delivery.SenderHarness.webhook;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One attempt against receivers of every kind, over real sockets. */
class WebhookSenderTests {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final int LIMIT = 16 * 1024;

  private final SenderHarness harness = SenderHarness.local();

  @AfterEach
  void close() {
    harness.close();
  }

  // Case H1: duplicate keys, long integers, 1.0, an escaped NUL, a lone surrogate, a byte order
  // mark, a trailing newline, and bytes that are no UTF-8.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "7b227a65627261223a312c22616c706861223a327d",
        "7b2262223a312c2261223a322c2261223a317d",
        "7b226e223a313233343536373839303132333435363738393031323334352c2261223a312e307d0a",
        "efbbbf7b2261223a225c75303030305c7564383030227d",
        "00ff80c328fffe",
        ""
      })
  void bodyGoesOutByteForByte(String hex) throws Exception {
    byte[] body = HexFormat.of().parseHex(hex);
    try (RawReceiver receiver = RawReceiver.answering(OK)) {
      Exchange exchange =
          harness.send(
              new Webhook(
                  receiver.url("/a//b?x=%20&y"),
                  Map.of("Content-Type", "application/x-anything; charset=odd"),
                  body,
                  SenderHarness.PATIENCE));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      RawReceiver.Request request = receiver.requests.getFirst();
      assertThat(request.line()).isEqualTo("POST /a//b?x=%20&y HTTP/1.1");
      assertThat(request.body()).isEqualTo(body);
      assertThat(request.headers())
          .containsEntry("content-type", "application/x-anything; charset=odd")
          .containsEntry("content-length", String.valueOf(body.length))
          .containsEntry("host", "127.0.0.1:" + receiver.port());
    }
  }

  @Test
  void headersGoOutAsGivenAndNothingIsAddedButWhatHttpNeeds() throws Exception {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("X-Env", "prod");
    headers.put("Content-Type", "text/plain");
    headers.put("seriatim-key", "");
    headers.put("User-Agent", "Seriatim");
    try (RawReceiver receiver = RawReceiver.answering(OK)) {
      harness.send(new Webhook(receiver.url("/"), headers, new byte[1], SenderHarness.PATIENCE));

      assertThat(receiver.requests.getFirst().headers())
          .containsEntry("x-env", "prod")
          .containsEntry("seriatim-key", "")
          .containsEntry("user-agent", "Seriatim")
          .containsOnlyKeys(
              "x-env",
              "content-type",
              "seriatim-key",
              "user-agent",
              "content-length",
              "host",
              "connection");
    }
  }

  @Test
  void answerIsKeptWithTheAddressAndTheTime() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering("HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nhi")) {
      Exchange first = harness.send(receiver.url("/"));
      Exchange second = harness.send(receiver.url("/"));

      for (Exchange exchange : new Exchange[] {first, second}) {
        assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(201));
        assertThat(exchange.address()).isEqualTo("127.0.0.1");
        assertThat(exchange.responseHeaders()).isEqualTo("X-A: 1\nContent-Length: 2\n");
        assertThat(exchange.responseBody()).asString().isEqualTo("hi");
        assertThat(exchange.location()).isNull();
        assertThat(exchange.took()).isPositive();
      }
    }
  }

  @Test
  void literalIpv6AddressIsDialled() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.ofLiteral("::1"));
        RawReceiver receiver =
            new RawReceiver(server, (request, connection) -> RawReceiver.write(connection, OK))) {
      Exchange exchange = harness.send(URI.create("http://[::1]:" + receiver.port() + "/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(exchange.address()).isEqualTo("0:0:0:0:0:0:0:1");
      assertThat(receiver.requests.getFirst().headers())
          .containsEntry("host", "[::1]:" + receiver.port());
    }
  }

  @Test
  void emptyAnswersHaveNoBody() throws Exception {
    try (RawReceiver receiver = RawReceiver.answering("HTTP/1.1 204 No Content\r\n\r\n")) {
      Exchange exchange = harness.send(receiver.url("/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(204));
      assertThat(exchange.responseBody()).isNull();
      assertThat(exchange.responseHeaders()).isEmpty();
    }
  }

  // Case H2.
  @Test
  void redirectIsAFailureThatIsNotFollowed() throws Exception {
    try (RawReceiver target = RawReceiver.answering(OK)) {
      String location = target.url("/elsewhere").toString();
      try (RawReceiver receiver =
          RawReceiver.answering(
              "HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n")) {
        Exchange exchange = harness.send(receiver.url("/"));

        assertThat(exchange.verdict())
            .isEqualTo(new Verdict.Failed(VerdictCode.REDIRECT, 302, null));
        assertThat(exchange.location()).isEqualTo(location);
        assertThat(target.requests).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, DELIVERED",
    "299, DELIVERED",
    "301, REDIRECT",
    "304, REDIRECT",
    "307, REDIRECT",
    "400, CLIENT_ERROR",
    "401, CLIENT_ERROR",
    "404, CLIENT_ERROR",
    "407, CLIENT_ERROR",
    "410, GONE",
    "429, CLIENT_ERROR",
    "500, SERVER_ERROR",
    "503, SERVER_ERROR",
    "599, SERVER_ERROR",
    "777, SERVER_ERROR"
  })
  void statusDecidesTheVerdict(int status, VerdictCode code) throws Exception {
    String answer =
        "HTTP/1.1 "
            + status
            + " Whatever\r\n"
            + "WWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n";
    try (RawReceiver receiver = RawReceiver.answering(answer)) {
      Verdict verdict = harness.send(receiver.url("/")).verdict();

      assertThat(verdict.code()).isEqualTo(code);
      assertThat(verdict.status()).isEqualTo(status);
      assertThat(receiver.requests).hasSize(1);
    }
  }

  @Test
  void retryAfterIsReadFromTheAnswer() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering(
            "HTTP/1.1 429 Slow\r\nRetry-After: Thu, 01 Jan 2026 00:02:00 GMT\r\n"
                + "Content-Length: 0\r\n\r\n")) {
      assertThat(harness.send(receiver.url("/")).verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.CLIENT_ERROR, 429, Duration.ofMinutes(2)));
    }
  }

  // Case H3.
  @Test
  void largeBodyIsCutAndDeliveredOnce() throws Exception {
    byte[] large = new byte[10 * 1024 * 1024];
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              RawReceiver.write(
                  connection, "HTTP/1.1 200 OK\r\nContent-Length: " + large.length + "\r\n\r\n");
              connection.getOutputStream().write(large);
            })) {
      for (int i = 1; i <= 2; i++) {
        Exchange exchange = harness.send(receiver.url("/"));

        assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
        assertThat(exchange.responseBody()).hasSize(LIMIT);
        assertThat(receiver.requests).hasSize(i);
      }
      assertThat(receiver.requests)
          .extracting(RawReceiver.Request::connection)
          .containsExactly(1, 2);
    }
  }

  // Case H3: what is kept is what was sent, still compressed.
  @Test
  void gzipBombIsNotUnpacked() throws Exception {
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
      byte[] zeros = new byte[1024 * 1024];
      for (int i = 0; i < 100; i++) {
        gzip.write(zeros);
      }
    }
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          try (exchange) {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(bomb.toByteArray());
          }
        });
    server.start();
    try {
      Exchange exchange =
          harness.send(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(exchange.responseBody())
          .hasSize(LIMIT)
          .isEqualTo(java.util.Arrays.copyOf(bomb.toByteArray(), LIMIT));
    } finally {
      server.stop(0);
    }
  }

  @Test
  void bodyThatEndsAtTheLimitIsWholeAndKeepsTheConnection() throws Exception {
    String body = "x".repeat(LIMIT);
    try (RawReceiver receiver =
        RawReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: " + LIMIT + "\r\n\r\n" + body)) {
      assertThat(harness.send(receiver.url("/")).responseBody()).hasSize(LIMIT);
      assertThat(harness.send(receiver.url("/")).responseBody()).hasSize(LIMIT);
      assertThat(receiver.requests).extracting(RawReceiver.Request::connection).containsOnly(1);
    }
  }

  // Case H5.
  @Test
  void nulInvalidUtf8AndLatin1AreKeptSafely() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering(
            "HTTP/1.1 200 \u00dcber\r\nX-Latin: caf\u00e9\r\nX-Nul: a\u0000b\r\nX-C1: \u0085\r\n"
                + "Content-Length: 5\r\n\r\n\u0000\u00ff\u00c3(\u0001")) {
      Exchange exchange = harness.send(receiver.url("/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(exchange.responseHeaders())
          .contains("X-Latin: caf\u00e9\n", "X-Nul: a b\n", "X-C1: \uFFFD\n")
          .doesNotContain("\u0000");
      assertThat(exchange.responseBody()).containsExactly(0, 0xff, 0xc3, '(', 1);
    }
  }

  // Case H5.
  @Test
  void thousandHeadersAreKeptCut() throws Exception {
    StringBuilder answer = new StringBuilder("HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 1_000; i++) {
      answer.append("X-Header-").append(i).append(": ").append("v".repeat(50)).append("\r\n");
    }
    try (RawReceiver receiver = RawReceiver.answering(answer + "Content-Length: 0\r\n\r\n")) {
      Exchange exchange = harness.send(receiver.url("/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(exchange.responseHeaders()).hasSize(8 * 1024).startsWith("X-Header-0: v");
    }
  }

  // Case H5.
  @Test
  void veryLongHeaderIsKeptCut() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering(
            "HTTP/1.1 200 OK\r\nLocation: "
                + "l".repeat(100_000)
                + "\r\nContent-Length: 0\r\n\r\n")) {
      Exchange exchange = harness.send(receiver.url("/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(exchange.responseHeaders()).hasSize(8 * 1024);
      assertThat(exchange.location()).hasSize(2 * 1024);
    }
  }

  @Test
  void endlessHeadersAreNotHttp() throws Exception {
    String line = "X: " + "v".repeat(1000) + "\r\n";
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              RawReceiver.write(connection, "HTTP/1.1 200 OK\r\n");
              while (true) {
                RawReceiver.write(connection, line);
              }
            })) {
      assertThat(harness.send(receiver.url("/")).verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.PROTOCOL, null, null));
    }
  }

  // Case H7.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.9\r\n",
        "\u0000\u0001\u0002\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"
      })
  void answerThatIsNotHttpIsAProtocolFailure(String answer) throws Exception {
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              RawReceiver.write(connection, answer);
              connection.close();
            })) {
      assertThat(harness.send(receiver.url("/")).verdict().code()).isEqualTo(VerdictCode.PROTOCOL);
    }
  }

  @Test
  void badChunkIsAProtocolFailureWithTheStatus() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")) {
      assertThat(harness.send(receiver.url("/")).verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.PROTOCOL, 200, null));
    }
  }

  // Case H7.
  @Test
  void closedWithoutAnswerIsAConnectionLost() throws Exception {
    try (RawReceiver receiver = new RawReceiver((request, connection) -> connection.close())) {
      assertThat(harness.send(receiver.url("/")).verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.CONNECTION_LOST, null, null));
    }
  }

  // Case H7.
  @Test
  void resetIsAConnectionLost() throws Exception {
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              connection.setSoLinger(true, 0);
              connection.close();
            })) {
      assertThat(harness.send(receiver.url("/")).verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.CONNECTION_LOST, null, null));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n64\r\nhalf"})
  void answerThatBreaksOffIsAConnectionLostAndKeptSoFar(String rest) throws Exception {
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              RawReceiver.write(connection, "HTTP/1.1 200 OK\r\n" + rest);
              connection.close();
            })) {
      Exchange exchange = harness.send(receiver.url("/"));

      assertThat(exchange.verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.CONNECTION_LOST, 200, null));
      assertThat(exchange.responseBody()).asString().isEqualTo("half");
    }
  }

  // Case H7.
  @Test
  void refusedConnectionHasItsCodeAndAddress() throws Exception {
    int closed;
    try (ServerSocket server = RawReceiver.listen()) {
      closed = server.getLocalPort();
    }
    Exchange exchange = harness.send(URI.create("http://127.0.0.1:" + closed + "/"));

    assertThat(exchange.verdict())
        .isEqualTo(new Verdict.Failed(VerdictCode.CONNECT_REFUSED, null, null));
    assertThat(exchange.address()).isEqualTo("127.0.0.1");
    assertThat(exchange.responseHeaders()).isNull();
  }

  @Test
  void connectionIsKeptForTheNextRequest() throws Exception {
    try (RawReceiver receiver = RawReceiver.answering(OK)) {
      for (int i = 0; i < 5; i++) {
        assertThat(harness.send(receiver.url("/")).verdict().code())
            .isEqualTo(VerdictCode.DELIVERED);
      }
      assertThat(receiver.requests).extracting(RawReceiver.Request::connection).containsOnly(1);
    }
  }

  @Test
  void connectionThatTheReceiverClosedMeanwhileCostsNoAttempt() throws Exception {
    CopyOnWriteArrayList<java.net.Socket> open = new CopyOnWriteArrayList<>();
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              RawReceiver.write(connection, OK);
              open.add(connection);
            })) {
      assertThat(harness.send(receiver.url("/")).verdict().code()).isEqualTo(VerdictCode.DELIVERED);
      awaitClosed(open, receiver);
      assertThat(harness.send(receiver.url("/")).verdict().code()).isEqualTo(VerdictCode.DELIVERED);

      assertThat(receiver.requests)
          .extracting(RawReceiver.Request::connection)
          .containsExactly(1, 2);
    }
  }

  /** Closes the receiver's end, and lets more time pass than a connection goes unprobed. */
  private static void awaitClosed(CopyOnWriteArrayList<java.net.Socket> open, RawReceiver receiver)
      throws IOException {
    long since = System.nanoTime();
    while (open.isEmpty()) {
      Thread.onSpinWait();
    }
    open.getFirst().close();
    while (System.nanoTime() - since < Duration.ofMillis(100).toNanos()) {
      Thread.onSpinWait();
    }
    assertThat(receiver.requests).hasSize(1);
  }

  @Test
  void cookiesAreNotKept() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")) {
      harness.send(receiver.url("/"));
      harness.send(webhook(receiver.url("/")));

      assertThat(receiver.requests.getLast().headers()).doesNotContainKey("cookie");
    }
  }

  @Test
  void informationalAnswersAreSkipped() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK)) {
      Exchange exchange = harness.send(receiver.url("/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(new String(exchange.responseBody(), StandardCharsets.UTF_8)).isEqualTo("ok");
    }
  }
}
