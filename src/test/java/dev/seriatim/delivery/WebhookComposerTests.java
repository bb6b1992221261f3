package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.standardwebhooks.Webhook;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.DeliveryContent;
import dev.seriatim.subscription.Blocks;
import dev.seriatim.subscription.OnExhausted;
import dev.seriatim.subscription.OrderingScope;
import dev.seriatim.subscription.RetryPolicy;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.WebhookSecret;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WebhookComposerTests {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.9Z");
  private static final WebhookSecret CURRENT = WebhookSecret.of(new byte[32]);
  private static final WebhookSecret PREVIOUS =
      WebhookSecret.parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  private static final byte[] PAYLOAD =
      "{\"zebra\":1,\"alpha\":2}".getBytes(StandardCharsets.UTF_8);

  @Test
  void receiverGetsEveryHeaderOfTheContract() {
    var webhook =
        WebhookComposer.compose(
            subscription(Map.of()),
            delivery(17),
            content("evt_1", "order.paid", "k"),
            3,
            NOW,
            null);

    assertThat(webhook.headers())
        .containsEntry("Content-Type", "application/json")
        .containsEntry("webhook-id", "evt_1~orders-acme")
        .containsEntry("webhook-timestamp", "1767225600")
        .containsEntry("seriatim-event-id", "evt_1")
        .containsEntry("seriatim-event-type", "order.paid")
        .containsEntry("seriatim-key", "k")
        .containsEntry("seriatim-sequence", "17")
        .containsEntry("seriatim-attempt", "3")
        .containsEntry(
            "seriatim-order-signature",
            WebhookSigner.signOrder(
                List.of(CURRENT, PREVIOUS), "evt_1~orders-acme", 1767225600, "k", 17))
        .containsEntry("User-Agent", "Seriatim")
        .containsKey("webhook-signature")
        .hasSize(11);
    assertThat(webhook.body()).isSameAs(PAYLOAD);
    assertThat(webhook.deadline()).isEqualTo(Duration.ofSeconds(15));
    assertThat(webhook.url()).isEqualTo(URI.create("https://hooks.acme.example/orders"));
  }

  // Case H6.
  @Test
  void retryHasAFreshTimestampAndSignatureUnderTheSameIdAndTheOfficialLibraryAcceptsBoth() {
    Instant now = Clock.systemUTC().instant(); // the library compares with its own clock
    var first = compose(1, now.minusSeconds(60));
    var second = compose(2, now);

    assertThat(first.headers().get("webhook-id")).isEqualTo(second.headers().get("webhook-id"));
    assertThat(first.headers().get("webhook-timestamp"))
        .isNotEqualTo(second.headers().get("webhook-timestamp"));
    assertThat(first.headers().get("webhook-signature"))
        .isNotEqualTo(second.headers().get("webhook-signature"));
    assertThat(first.headers().get("seriatim-order-signature"))
        .isNotEqualTo(second.headers().get("seriatim-order-signature"));
    for (var webhook : List.of(first, second)) {
      for (WebhookSecret secret : List.of(CURRENT, PREVIOUS)) {
        assertThatCode(
                () ->
                    new Webhook(secret.reveal())
                        .verify(
                            new String(webhook.body(), StandardCharsets.UTF_8),
                            httpHeaders(webhook.headers())))
            .doesNotThrowAnyException();
      }
    }
  }

  @Test
  void webhookIdNeverContainsADotAndTwoNeverCollide() {
    assertThat(WebhookComposer.webhookId("a.b", "s:1")).isEqualTo("a%2Eb~s%3A1");
    assertThat(WebhookComposer.webhookId("é 🚀", "s")).isEqualTo("%C3%A9%20%F0%9F%9A%80~s");
    assertThat(WebhookComposer.webhookId("a~b", "c"))
        .isEqualTo("a%7Eb~c")
        .isNotEqualTo(WebhookComposer.webhookId("a", "b~c"));
    assertThat(WebhookComposer.webhookId("a%2Eb", "c"))
        .isNotEqualTo(WebhookComposer.webhookId("a.b", "c"));
  }

  @Test
  void namesAndKeysAreSafeAsHeaderValues() {
    var webhook =
        WebhookComposer.compose(
            subscription(Map.of()),
            delivery(1),
            content("ä%\r\n", "a b", "ü/.~%\u0001"),
            1,
            NOW,
            null);

    assertThat(webhook.headers())
        .containsEntry("seriatim-event-id", "%C3%A4%25%0D%0A")
        .containsEntry("seriatim-event-type", "a%20b")
        .containsEntry("seriatim-key", "%C3%BC%2F.~%25%01");
  }

  @Test
  void emptyKeyIsAKey() {
    var webhook =
        WebhookComposer.compose(
            subscription(Map.of()), delivery(1), content("e", "t", ""), 1, NOW, null);

    assertThat(webhook.headers())
        .containsEntry("seriatim-key", "")
        .containsKey("seriatim-sequence");
  }

  @Test
  void unorderedDeliveryHasNoOrderHeaders() {
    Delivery unordered = new Delivery(1, 1, 0, 0, 1, 1, 0, 0L, null, null, null, null);
    var webhook =
        WebhookComposer.compose(
            subscription(Map.of()), unordered, content("e", "t", null), 1, NOW, null);

    assertThat(webhook.headers())
        .doesNotContainKeys("seriatim-key", "seriatim-sequence", "seriatim-order-signature")
        .containsKeys("webhook-id", "webhook-signature", "seriatim-attempt");
  }

  // Case H8, the last line of defence behind the subscription API.
  @Test
  void customHeadersComeFirstAndNeverOverrideOurs() {
    Map<String, String> custom = new LinkedHashMap<>();
    custom.put("X-Env", "prod");
    custom.put("Webhook-ID", "forged");
    custom.put("SERIATIM-sequence", "1");
    custom.put("content-TYPE", "text/plain");
    custom.put("HOST", "internal");
    custom.put("Transfer-Encoding", "chunked");
    custom.put("user-agent", "acme");
    var webhook =
        WebhookComposer.compose(
            subscription(custom), delivery(5), content("e", "t", "k"), 1, NOW, null);

    assertThat(webhook.headers().keySet()).startsWith("X-Env", "user-agent", "Content-Type");
    assertThat(
            webhook.headers().keySet().stream()
                .collect(Collectors.groupingBy(name -> name.toLowerCase(java.util.Locale.ROOT)))
                .values())
        .allMatch(names -> names.size() == 1);
    assertThat(webhook.headers())
        .containsEntry("seriatim-sequence", "5")
        .containsEntry("user-agent", "acme")
        .doesNotContainKeys("HOST", "Transfer-Encoding", "Webhook-ID");
  }

  private static dev.seriatim.delivery.Webhook compose(int attempt, Instant now) {
    return WebhookComposer.compose(
        subscription(Map.of()),
        delivery(17),
        content("evt_1", "order.paid", "k"),
        attempt,
        now,
        null);
  }

  private static Delivery delivery(long sequence) {
    return new Delivery(1, 1, 9, sequence, 1, 1, 0, 0L, null, null, null, null);
  }

  private static DeliveryContent content(String id, String type, @Nullable String key) {
    return new DeliveryContent(id, type, "application/json", key, PAYLOAD, null);
  }

  private static Subscription subscription(Map<String, String> headers) {
    return new Subscription(
        1,
        "orders-acme",
        "acme",
        URI.create("https://hooks.acme.example/orders"),
        List.of("*"),
        OrderingScope.SUBSCRIPTION,
        OnExhausted.EJECT,
        Blocks.LANE,
        new RetryPolicy(8, Duration.ofSeconds(5), 4, Duration.ofHours(10), 0.2, Duration.ofDays(3)),
        Duration.ofSeconds(15),
        16,
        null,
        headers,
        List.of(CURRENT, PREVIOUS),
        Subscription.State.ENABLED,
        null,
        NOW,
        NOW);
  }

  private static HttpHeaders httpHeaders(Map<String, String> headers) {
    return HttpHeaders.of(
        headers.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, e -> List.of(e.getValue()))),
        (name, value) -> true);
  }
}
