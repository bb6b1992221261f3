package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

/** Case H7, the part about TLS: certificates that are wrong in each way, and the handshake. */
class WebhookSenderTlsTests {

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final Verdict TLS = new Verdict.Failed(VerdictCode.TLS, null, null);

  private static Certificates certificates;

  @BeforeAll
  static void makeCertificates(@TempDir Path directory) throws Exception {
    certificates = new Certificates(directory);
    certificates.sign("good", "receiver.example", "-1d", 30);
    certificates.sign("expired", "receiver.example", "-10d", 5);
  }

  @Test
  void trustedCertificateOfTheHostIsAccepted() throws Exception {
    try (RawReceiver receiver =
            tls("good", (request, connection) -> RawReceiver.write(connection, OK));
        SenderHarness harness = trusting(Duration.ofSeconds(30))) {
      for (int i = 0; i < 3; i++) {
        Exchange exchange = harness.send(url("receiver.example", receiver));

        assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
        assertThat(exchange.address()).isEqualTo("127.0.0.1");
      }
      assertThat(receiver.requests).extracting(RawReceiver.Request::connection).containsOnly(1);
    }
  }

  @Test
  void selfSignedCertificateIsRefused() throws Exception {
    try (RawReceiver receiver =
            tls("good", (request, connection) -> RawReceiver.write(connection, OK));
        SenderHarness harness = sender(SSLContext.getDefault(), Duration.ofSeconds(30))) {
      Exchange exchange = harness.send(url("receiver.example", receiver));

      assertThat(exchange.verdict()).isEqualTo(TLS);
      assertThat(exchange.address()).isEqualTo("127.0.0.1");
      assertThat(receiver.requests).isEmpty();
    }
  }

  @Test
  void certificateOfAnUnknownAuthorityIsRefused() throws Exception {
    try (RawReceiver receiver =
            tls("good", (request, connection) -> RawReceiver.write(connection, OK));
        SenderHarness harness = sender(SSLContext.getDefault(), Duration.ofSeconds(30))) {
      assertThat(harness.send(url("receiver.example", receiver)).verdict()).isEqualTo(TLS);
      assertThat(receiver.requests).isEmpty();
    }
  }

  @Test
  void expiredCertificateIsRefused() throws Exception {
    try (RawReceiver receiver =
            tls("expired", (request, connection) -> RawReceiver.write(connection, OK));
        SenderHarness harness = trusting(Duration.ofSeconds(30))) {
      assertThat(harness.send(url("receiver.example", receiver)).verdict()).isEqualTo(TLS);
      assertThat(receiver.requests).isEmpty();
    }
  }

  @Test
  void certificateOfAnotherHostIsRefused() throws Exception {
    try (RawReceiver receiver =
            tls("good", (request, connection) -> RawReceiver.write(connection, OK));
        SenderHarness harness = trusting(Duration.ofSeconds(30))) {
      assertThat(harness.send(url("other.example", receiver)).verdict()).isEqualTo(TLS);
      assertThat(receiver.requests).isEmpty();
    }
  }

  @Test
  void receiverThatSpeaksNoTlsIsATlsFailure() throws Exception {
    try (RawReceiver receiver = RawReceiver.answering(OK);
        SenderHarness harness = trusting(Duration.ofSeconds(30))) {
      assertThat(harness.send(url("receiver.example", receiver)).verdict()).isEqualTo(TLS);
    }
  }

  @Test
  void silentHandshakeIsAConnectTimeout() throws Exception {
    try (ServerSocket silent = RawReceiver.listen();
        SenderHarness harness = trusting(Duration.ofMillis(300))) {
      URI url = URI.create("https://receiver.example:" + silent.getLocalPort() + "/");

      assertThat(harness.send(url).verdict())
          .isEqualTo(new Verdict.Failed(VerdictCode.CONNECT_TIMEOUT, null, null));
    }
  }

  @Test
  void answerMayTakeLongerThanTheConnectTimeout() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (RawReceiver receiver =
            tls(
                "good",
                (request, connection) -> {
                  assertThat(never.await(2_500, TimeUnit.MILLISECONDS)).isFalse();
                  RawReceiver.write(connection, OK);
                });
        SenderHarness harness = trusting(Duration.ofMillis(2_000))) {
      Exchange exchange = harness.send(url("receiver.example", receiver));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
    }
  }

  @Test
  void receiverThatStopsReadingEndsAtTheDeadline() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    Duration deadline = Duration.ofSeconds(2);
    SSLServerSocket server = listen("good");
    try (RawReceiver receiver =
            new RawReceiver(
                server,
                (request, connection) -> {
                  over.await();
                });
        SenderHarness harness = trusting(Duration.ofSeconds(30))) {
      Webhook stuck =
          new Webhook(
              url("receiver.example", receiver),
              java.util.Map.of("X-Stop", "1"),
              new byte[64 * 1024 * 1024],
              deadline);
      Exchange exchange = harness.send(stuck);

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Failed(VerdictCode.TIMEOUT, null, null));
      assertThat(exchange.took()).isBetween(deadline, SenderHarness.PATIENCE.dividedBy(2));
      over.countDown();
    }
  }

  private static RawReceiver tls(String alias, RawReceiver.Behaviour behaviour)
      throws GeneralSecurityException, IOException {
    return new RawReceiver(listen(alias), behaviour);
  }

  private static SSLServerSocket listen(String alias) throws GeneralSecurityException, IOException {
    return (SSLServerSocket)
        certificates
            .serving(alias)
            .getServerSocketFactory()
            .createServerSocket(0, 10, InetAddress.ofLiteral("127.0.0.1"));
  }

  private static SenderHarness trusting(Duration connectTimeout)
      throws GeneralSecurityException, IOException {
    return sender(certificates.trusting(), connectTimeout);
  }

  private static SenderHarness sender(SSLContext context, Duration connectTimeout) {
    return SenderHarness.with(
        new SenderSettings(connectTimeout, DataSize.ofKilobytes(16)),
        SenderHarness.loopback(),
        host -> new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")},
        context);
  }

  private static URI url(String host, RawReceiver receiver) {
    return URI.create("https://" + host + ":" + receiver.port() + "/");
  }
}
