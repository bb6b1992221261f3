package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.TargetGuard;
import dev.seriatim.subscription.TargetSettings;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Case H9: what counts is the address that is dialled, at every dial. */
class WebhookSenderTargetTests {

  private static final String CLOSING =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  private static final Verdict BLOCKED = new Verdict.Failed(VerdictCode.BLOCKED, null, null);

  private static final TargetGuard STRICT =
      new TargetGuard(new TargetSettings(List.of(), List.of(), false));

  @ParameterizedTest
  @MethodSource("blocked")
  void blockedAddressIsNotDialledAsALiteral(String address) {
    String host = address.contains(":") ? "[" + address + "]" : address;
    try (SenderHarness harness =
        SenderHarness.with(SenderHarness.settings(), STRICT, InetAddress::getAllByName)) {
      Exchange exchange = harness.send(URI.create("http://" + host + ":9/"));

      assertThat(exchange.verdict()).isEqualTo(BLOCKED);
      assertThat(exchange.address()).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("blocked")
  void nameThatResolvesToABlockedAddressIsNotDialled(String address) {
    try (SenderHarness harness = strict(address)) {
      assertThat(harness.send(URI.create("http://harmless.example:9/")).verdict())
          .isEqualTo(BLOCKED);
    }
  }

  static Stream<String> blocked() {
    return Vectors.read("targets.json", "blocked").map(JsonNode::stringValue);
  }

  @Test
  void oddNumbersThatReachLoopbackAreNotDialled() {
    try (SenderHarness harness =
        SenderHarness.with(SenderHarness.settings(), STRICT, InetAddress::getAllByName)) {
      assertThat(harness.send(URI.create("http://localhost:9/")).verdict()).isEqualTo(BLOCKED);
    }
  }

  @Test
  void onlyThePermittedAddressesOfANameAreDialled() throws Exception {
    try (RawReceiver receiver = RawReceiver.answering(CLOSING);
        SenderHarness harness =
            SenderHarness.with(
                SenderHarness.settings(),
                SenderHarness.loopback(),
                host ->
                    new InetAddress[] {
                      InetAddress.ofLiteral("10.0.0.1"), InetAddress.ofLiteral("127.0.0.1")
                    })) {
      Exchange exchange = harness.send(URI.create("http://mixed.example:" + receiver.port() + "/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(exchange.address()).isEqualTo("127.0.0.1");
      assertThat(receiver.requests.getFirst().headers())
          .containsEntry("host", "mixed.example:" + receiver.port());
    }
  }

  @Test
  void nextAddressIsTriedWhenTheFirstRefuses() throws Exception {
    try (RawReceiver receiver = RawReceiver.answering(CLOSING);
        SenderHarness harness =
            SenderHarness.with(
                SenderHarness.settings(),
                SenderHarness.loopback(),
                host ->
                    new InetAddress[] {
                      InetAddress.ofLiteral("127.0.0.9"), InetAddress.ofLiteral("127.0.0.1")
                    })) {
      Exchange exchange = harness.send(URI.create("http://two.example:" + receiver.port() + "/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(exchange.address()).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void nameThatTurnsAgainstUsIsBlockedAtTheNextDial() throws Exception {
    AtomicInteger lookups = new AtomicInteger();
    try (RawReceiver receiver = RawReceiver.answering(CLOSING);
        SenderHarness harness =
            SenderHarness.with(
                SenderHarness.settings(),
                SenderHarness.loopback(),
                host ->
                    new InetAddress[] {
                      InetAddress.ofLiteral(
                          lookups.getAndIncrement() == 0 ? "127.0.0.1" : "169.254.169.254")
                    })) {
      URI url = URI.create("http://rebinding.example:" + receiver.port() + "/");

      assertThat(harness.send(url).verdict()).isEqualTo(new Verdict.Delivered(200));
      assertThat(harness.send(url).verdict()).isEqualTo(BLOCKED);
      assertThat(receiver.requests).hasSize(1);
    }
  }

  // Case H7.
  @Test
  void unknownNameIsADnsFailure() {
    try (SenderHarness harness =
        SenderHarness.with(
            SenderHarness.settings(),
            STRICT,
            host -> {
              throw new UnknownHostException(host);
            })) {
      Exchange exchange = harness.send(URI.create("http://nowhere.example/"));

      assertThat(exchange.verdict()).isEqualTo(new Verdict.Failed(VerdictCode.DNS, null, null));
      assertThat(exchange.address()).isNull();
    }
  }

  private static SenderHarness strict(String address) {
    return SenderHarness.with(
        SenderHarness.settings(),
        STRICT,
        host -> new InetAddress[] {InetAddress.ofLiteral(address)});
  }
}
