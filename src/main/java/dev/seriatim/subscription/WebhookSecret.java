package dev.seriatim.subscription;

import java.util.Base64;

/**
 * A symmetric signing secret in the form of Standard Webhooks 1.0.0: {@code whsec_} and base64 of
 * 24 to 64 bytes.
 */
public final class WebhookSecret {

  private static final String PREFIX = "whsec_";
  private static final int MIN_BYTES = 24;
  private static final int MAX_BYTES = 64;

  private final byte[] key;

  private WebhookSecret(byte[] key) {
    this.key = key;
  }

  /**
   * Reads the form that users write.
   *
   * @throws IllegalArgumentException when it is not {@code whsec_} followed by base64 of 24 to 64
   *     bytes; the message does not repeat the secret
   */
  public static WebhookSecret parse(String text) {
    if (!text.startsWith(PREFIX)) {
      throw new IllegalArgumentException("a secret starts with whsec_");
    }
    byte[] key;
    try {
      key = Base64.getDecoder().decode(text.substring(PREFIX.length()));
    } catch (IllegalArgumentException notBase64) {
      throw new IllegalArgumentException("what follows whsec_ must be base64", notBase64);
    }
    return of(key);
  }

  /**
   * @throws IllegalArgumentException when it is shorter than 24 or longer than 64 bytes
   */
  public static WebhookSecret of(byte[] key) {
    if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a secret has " + MIN_BYTES + " to " + MAX_BYTES + " bytes, this one " + key.length);
    }
    return new WebhookSecret(key.clone());
  }

  /** The bytes that sign. */
  public byte[] key() {
    return key.clone();
  }

  /** The form that users write; for the one answer that shows it, and for storing it. */
  public String reveal() {
    return PREFIX + Base64.getEncoder().encodeToString(key);
  }

  /** Never the secret. */
  @Override
  public String toString() {
    return PREFIX + "***";
  }
}
