package dev.seriatim.development;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import dev.seriatim.subscription.WebhookSecret;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WebhookCheckTests {

  private static final long SENT = 1_700_000_000;
  private static final WebhookSecret SECRET =
      WebhookSecret.of("a secret of twenty-four bytes".getBytes(UTF_8));
  private static final String BODY = "{\"order\":\"7\"}";

  private final Map<String, String> headers = new HashMap<>();

  @BeforeEach
  void sign() throws Exception {
    headers.put("webhook-id", "e~s");
    headers.put("webhook-timestamp", Long.toString(SENT));
    // The official library signs, so that the check is not only consistent with itself.
    headers.put("webhook-signature", new Webhook(SECRET.reveal()).sign("e~s", SENT, BODY));
    headers.put("seriatim-key", "order_7");
    headers.put("seriatim-sequence", "3");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.key(), "HmacSHA256"));
    headers.put(
        "seriatim-order-signature",
        "v1,"
            + Base64.getEncoder()
                .encodeToString(mac.doFinal(("e~s." + SENT + ".order_7.3").getBytes(UTF_8))));
  }

  @Test
  void acceptsWhatIsSigned() {
    assertThat(genuine(BODY, SENT + 299)).isTrue();
  }

  @Test
  void oneOfSeveralSignaturesIsEnough() {
    headers.merge("webhook-signature", "v1,bm90IHRoaXMgb25l ", (own, other) -> other + own);

    assertThat(genuine(BODY, SENT)).isTrue();
  }

  @Test
  void refusesAnotherBody() {
    assertThat(genuine(BODY + " ", SENT)).isFalse();
  }

  @Test
  void refusesAnotherSequenceOrKey() {
    headers.put("seriatim-sequence", "4");
    assertThat(genuine(BODY, SENT)).isFalse();

    headers.put("seriatim-sequence", "3");
    headers.put("seriatim-key", "order_8");
    assertThat(genuine(BODY, SENT)).isFalse();
  }

  @Test
  void refusesWhatIsOldOrFromTheFuture() {
    assertThat(genuine(BODY, SENT + 301)).isFalse();
    assertThat(genuine(BODY, SENT - 301)).isFalse();

    headers.put("webhook-timestamp", "soon");
    assertThat(genuine(BODY, SENT)).isFalse();
  }

  @Test
  void refusesWhatLacksAHeader() {
    for (String name : Map.copyOf(headers).keySet()) {
      String value = headers.remove(name);
      assertThat(genuine(BODY, SENT)).as("without " + name).isFalse();
      headers.put(name, value);
    }
  }

  private boolean genuine(String body, long now) {
    Clock clock = Clock.fixed(Instant.ofEpochSecond(now), ZoneOffset.UTC);
    return new WebhookCheck(SECRET, clock).genuine(headers::get, body.getBytes(UTF_8));
  }
}
