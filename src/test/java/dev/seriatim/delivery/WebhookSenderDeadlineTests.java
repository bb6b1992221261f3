package dev.seriatim.delivery;

import static dev.seriatim.delivery.SenderHarness.webhook;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** Nothing that a receiver or the DNS does makes an attempt last longer than its deadline. */
class WebhookSenderDeadlineTests {

  private static final Duration SHORT = Duration.ofMillis(300);

  private final SenderHarness harness = SenderHarness.local();

  /** What a receiver waits for: the end of the test. */
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void close() {
    over.countDown();
    harness.close();
  }

  // Case H4: headers at once, then a trickle that never pauses for long.
  @Test
  void trickleEndsAtTheTotalDeadline() throws Exception {
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              RawReceiver.write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
              do {
                RawReceiver.write(connection, "x");
              } while (!over.await(50, TimeUnit.MILLISECONDS));
            })) {
      Exchange exchange = harness.send(webhook(receiver.url("/"), SHORT));

      assertTimeout(exchange, 200);
      assertThat(exchange.responseHeaders()).isEqualTo("Content-Length: 1000\n");
      assertThat(exchange.responseBody()).asString().startsWith("x").hasSizeLessThan(1000);
    }
  }

  // Cases H7 and I3: a receiver that accepts and never answers.
  @Test
  void silenceEndsAtTheTotalDeadline() throws Exception {
    try (RawReceiver receiver = new RawReceiver((request, connection) -> over.await())) {
      Exchange exchange = harness.send(webhook(receiver.url("/"), SHORT));

      assertTimeout(exchange, null);
      assertThat(exchange.address()).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void receiverThatDoesNotReadEndsAtTheTotalDeadline() throws Exception {
    try (var server = RawReceiver.listen()) {
      Webhook large =
          new Webhook(
              URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"),
              Map.of(),
              new byte[64 * 1024 * 1024],
              SHORT);

      assertTimeout(harness.send(large), null);
    }
  }

  @Test
  void hungLookupEndsAtTheDeadlineAndNothingGoesOutAfterwards() throws Exception {
    CountDownLatch resolved = new CountDownLatch(1);
    try (RawReceiver receiver =
            RawReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        SenderHarness slow =
            SenderHarness.with(
                SenderHarness.settings(),
                SenderHarness.loopback(),
                host -> {
                  awaitUninterruptibly(over);
                  resolved.countDown();
                  return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
                })) {
      Exchange exchange =
          slow.send(webhook(URI.create("http://slow.example:" + receiver.port() + "/"), SHORT));

      assertTimeout(exchange, null);
      assertThat(exchange.address()).isNull();
      over.countDown();
      assertThat(resolved.await(60, TimeUnit.SECONDS)).isTrue();
      // A send to the same receiver that is made afterwards is the first one that it sees.
      slow.send(URI.create("http://other.example:" + receiver.port() + "/late"));
      assertThat(receiver.requests)
          .extracting(RawReceiver.Request::line)
          .containsExactly("POST /late HTTP/1.1");
    }
  }

  // Case W4: a process that was paused past the deadline sends nothing, whichever step it was
  // paused at.
  @Test
  void nothingGoesOutAfterAPauseInTheLookup() throws Exception {
    AtomicLong pause = new AtomicLong();
    try (RawReceiver receiver =
            RawReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        SenderHarness paused =
            SenderHarness.on(
                () -> System.nanoTime() + pause.get(),
                host -> {
                  pause.set(Duration.ofMinutes(5).toNanos());
                  return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
                })) {
      Exchange exchange =
          paused.send(webhook(URI.create("http://a.example:" + receiver.port() + "/")));

      assertThat(exchange.verdict().code()).isEqualTo(VerdictCode.TIMEOUT);
      assertThat(receiver.requests).isEmpty();
    }
  }

  // Case W4.
  @Test
  void nothingGoesOutOnAConnectionThatIsThereAfterAPauseBeforeTheRequest() throws Exception {
    try (RawReceiver receiver =
            RawReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        SenderHarness harness = SenderHarness.local()) {
      harness.send(receiver.url("/first"));
      Webhook webhook = webhook(receiver.url("/stale"));
      CompletableFuture<Exchange> stale = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  long longAgo = System.nanoTime() - webhook.deadline().toNanos();
                  stale.complete(harness.sender.send(webhook, longAgo, new Permit(() -> true)));
                } catch (InterruptedException | RuntimeException e) {
                  stale.completeExceptionally(e);
                }
              });

      assertThat(stale.get(60, TimeUnit.SECONDS).verdict().code()).isEqualTo(VerdictCode.TIMEOUT);
      harness.send(receiver.url("/last"));
      assertThat(receiver.requests)
          .extracting(RawReceiver.Request::line)
          .containsExactly("POST /first HTTP/1.1", "POST /last HTTP/1.1");
    }
  }

  /** A lease may end between the look at it and the request, if the process is paused there. */
  @Test
  void nothingGoesOutOnceAStepIsNotAllowed() throws Exception {
    try (RawReceiver receiver =
            RawReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        SenderHarness harness = SenderHarness.local()) {
      harness.send(receiver.url("/first"));
      Webhook stale = webhook(receiver.url("/stale"));

      assertThatThrownBy(
              () -> harness.sender.send(stale, System.nanoTime(), new Permit(() -> false)))
          .isInstanceOf(NothingSentException.class)
          .hasMessage("broken off while EXCHANGING");

      harness.send(receiver.url("/last"));
      assertThat(receiver.requests)
          .extracting(RawReceiver.Request::line)
          .containsExactly("POST /first HTTP/1.1", "POST /last HTTP/1.1");
    }
  }

  /** Bytes that the kernel still has would arrive when somebody else sends already. */
  @Test
  void requestThatIsBrokenOffIsNotDeliveredLater() throws Exception {
    byte[] large = new byte[8 * 1024 * 1024];
    try (ServerSocket receiver = RawReceiver.listen();
        SenderHarness harness = SenderHarness.local()) {
      Webhook webhook =
          new Webhook(
              URI.create("http://127.0.0.1:" + receiver.getLocalPort() + "/"),
              Map.of(),
              large,
              Duration.ofMinutes(10));
      Permit permit = new Permit(() -> true);
      CompletableFuture<Exchange> sent = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  sent.complete(harness.sender.send(webhook, System.nanoTime(), permit));
                } catch (InterruptedException | RuntimeException e) {
                  sent.completeExceptionally(e);
                }
              });
      try (Socket connection = receiver.accept()) {
        assertThat(connection.getInputStream().read()).isEqualTo('P');

        permit.revoke();
        permit.end();

        assertThat(sent)
            .failsWithin(60, TimeUnit.SECONDS)
            .withThrowableOfType(ExecutionException.class)
            .withCauseInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> connection.getInputStream().readAllBytes())
            .isInstanceOf(SocketException.class);
      }
    }
  }

  // Case H7.
  @Test
  void lookupThatTakesLongerThanTheConnectTimeoutIsADnsFailure() {
    try (SenderHarness slow =
        SenderHarness.with(
            new SenderSettings(Duration.ofMillis(100), DataSize.ofKilobytes(1)),
            SenderHarness.loopback(),
            host -> {
              awaitUninterruptibly(over);
              return new InetAddress[0];
            })) {
      Exchange exchange = slow.send(URI.create("http://slow.example/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Failed(VerdictCode.DNS, null, null));
    }
  }

  @Test
  void hungNameDoesNotHoldUpOthers() throws Exception {
    try (RawReceiver receiver =
            RawReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        SenderHarness mixed =
            SenderHarness.with(
                SenderHarness.settings(),
                SenderHarness.loopback(),
                host -> {
                  if (host.startsWith("hung")) {
                    awaitUninterruptibly(over);
                  }
                  return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
                })) {
      for (int i = 0; i < 50; i++) {
        var unused =
            mixed.start(
                webhook(URI.create("http://hung" + i % 10 + ".example:" + receiver.port())));
      }
      Exchange exchange = mixed.send(URI.create("http://fine.example:" + receiver.port() + "/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(receiver.requests).hasSize(1);
    }
  }

  // Case H7: a listener whose backlog is full lets connects hang.
  @Test
  void connectTimeoutHasItsCode() throws Exception {
    List<Socket> waiting = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
        SenderHarness hasty =
            SenderHarness.with(
                new SenderSettings(SHORT, DataSize.ofKilobytes(1)),
                SenderHarness.loopback(),
                InetAddress::getAllByName)) {
      fillBacklog(full, waiting);
      Exchange exchange = hasty.send(URI.create("http://127.0.0.1:" + full.getLocalPort() + "/"));

      assertThat(exchange.verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.CONNECT_TIMEOUT, null, null));
      assertThat(exchange.address()).isEqualTo("127.0.0.1");
    } finally {
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  private static void fillBacklog(ServerSocket server, List<Socket> waiting) throws IOException {
    for (int i = 0; i < 100; i++) {
      Socket socket = new Socket();
      waiting.add(socket);
      try {
        socket.connect(server.getLocalSocketAddress(), 1_000);
      } catch (SocketTimeoutException isFull) {
        return;
      }
    }
    throw new AssertionError("the backlog never fills up");
  }

  @Test
  void interruptBreaksOffAReadAndIsNoVerdict() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              arrived.countDown();
              if (connection.getInputStream().read() < 0) {
                ended.countDown();
              }
            })) {
      CompletableFuture<Exchange> result = new CompletableFuture<>();
      Thread thread = harness.startThread(webhook(receiver.url("/")), result);
      assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
      thread.interrupt();

      assertThatThrownBy(() -> SenderHarness.await(result))
          .hasCauseExactlyInstanceOf(InterruptedException.class);
      assertThat(ended.await(60, TimeUnit.SECONDS)).as("the connection is closed").isTrue();
    }
  }

  @Test
  void interruptBreaksOffALookup() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (SenderHarness slow =
        SenderHarness.with(
            SenderHarness.settings(),
            SenderHarness.loopback(),
            host -> {
              asked.countDown();
              awaitUninterruptibly(over);
              return new InetAddress[0];
            })) {
      CompletableFuture<Exchange> result = new CompletableFuture<>();
      Thread thread = slow.startThread(webhook(URI.create("http://slow.example/")), result);
      assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
      thread.interrupt();

      assertThatThrownBy(() -> SenderHarness.await(result))
          .hasCauseInstanceOf(NothingSentException.class);
    }
  }

  @Test
  void interruptedThreadSendsNothing() throws Exception {
    try (RawReceiver receiver =
        RawReceiver.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
      CompletableFuture<Exchange> result = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () -> {
                Thread.currentThread().interrupt();
                try {
                  result.complete(
                      harness.sender.send(
                          webhook(receiver.url("/")), System.nanoTime(), new Permit(() -> true)));
                } catch (InterruptedException e) {
                  result.completeExceptionally(e);
                }
              });

      assertThatThrownBy(() -> SenderHarness.await(result))
          .hasCauseInstanceOf(NothingSentException.class);
      assertThat(receiver.requests).isEmpty();
    }
  }

  @Test
  void closingBreaksOffWithoutAVerdict() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    try (RawReceiver receiver =
        new RawReceiver(
            (request, connection) -> {
              arrived.countDown();
              over.await();
            })) {
      CompletableFuture<Exchange> result = harness.start(webhook(receiver.url("/")));
      assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
      harness.close();

      assertThatThrownBy(() -> SenderHarness.await(result))
          .hasCauseExactlyInstanceOf(InterruptedException.class);
    }
  }

  private static void assertTimeout(Exchange exchange, @Nullable Integer status) {
    assertThat(exchange.verdict()).isEqualTo(new Verdict.Failed(VerdictCode.TIMEOUT, status, null));
    assertThat(exchange.took()).isBetween(SHORT, SenderHarness.PATIENCE.dividedBy(2));
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
