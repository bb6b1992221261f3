package dev.seriatim.delivery;

import dev.seriatim.subscription.WebhookSecret;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs as Standard Webhooks 1.0.0 says for symmetric keys: {@code v1,} and base64 of HMAC-SHA256
 * over {@code id.timestamp.body}. Every active secret signs, so that a receiver can change over
 * during a rotation; the signatures are separated by spaces, in the order of the secrets. Pure.
 */
final class WebhookSigner {

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] NOTHING = {};

  private WebhookSigner() {}

  /** The value of {@code webhook-signature}. */
  static String sign(List<WebhookSecret> secrets, String id, long timestamp, byte[] body) {
    return sign(secrets, id + "." + timestamp + ".", body);
  }

  /**
   * The value of {@code seriatim-order-signature}: what proves to a receiver that nothing of a key
   * is missing, doubled or out of order.
   *
   * @param key as it is sent, percent-encoded
   */
  static String signOrder(
      List<WebhookSecret> secrets, String id, long timestamp, String key, long sequence) {
    return sign(secrets, id + "." + timestamp + "." + key + "." + sequence, NOTHING);
  }

  private static String sign(List<WebhookSecret> secrets, String head, byte[] rest) {
    byte[] start = head.getBytes(StandardCharsets.UTF_8);
    return secrets.stream()
        .map(secret -> "v1," + Base64.getEncoder().encodeToString(hmac(secret, start, rest)))
        .collect(Collectors.joining(" "));
  }

  private static byte[] hmac(WebhookSecret secret, byte[] start, byte[] rest) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.key(), ALGORITHM));
      mac.update(start);
      return mac.doFinal(rest);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}
