package dev.seriatim.development;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.seriatim.subscription.WebhookSecret;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What a receiver does before it believes a request: checks the signature over the body (Standard
 * Webhooks 1.0.0) and the one over key and sequence. Written out here, as an example; receivers use
 * a library for the first. Thread-safe.
 */
final class WebhookCheck {

  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private final byte[] key;
  private final Clock clock;

  WebhookCheck(WebhookSecret secret, Clock clock) {
    this.key = secret.key();
    this.clock = clock;
  }

  /**
   * @param header gives the value of a request header by its name, null where it is missing
   */
  boolean genuine(Function<String, @Nullable String> header, byte[] body) {
    String id = header.apply("webhook-id");
    String timestamp = header.apply("webhook-timestamp");
    String key = header.apply("seriatim-key");
    String sequence = header.apply("seriatim-sequence");
    if (id == null || timestamp == null || key == null || sequence == null || !recent(timestamp)) {
      return false;
    }
    return matches(header.apply("webhook-signature"), hmac(id + "." + timestamp + ".", body))
        && matches(
            header.apply("seriatim-order-signature"),
            hmac(String.join(".", id, timestamp, key, sequence), new byte[0]));
  }

  /** An old request, recorded by somebody, must not be believed when it is sent again. */
  private boolean recent(String timestamp) {
    try {
      long age = clock.instant().getEpochSecond() - Long.parseLong(timestamp);
      return Math.abs(age) <= TOLERANCE.toSeconds();
    } catch (NumberFormatException notATime) {
      return false;
    }
  }

  /**
   * @param signatures one per active secret, separated by spaces: one that is right is enough
   */
  private static boolean matches(@Nullable String signatures, String expected) {
    if (signatures == null) {
      return false;
    }
    byte[] wanted = expected.getBytes(UTF_8);
    boolean found = false;
    for (String signature : signatures.split(" ", -1)) {
      found |= MessageDigest.isEqual(wanted, signature.getBytes(UTF_8));
    }
    return found;
  }

  private String hmac(String head, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(head.getBytes(UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
