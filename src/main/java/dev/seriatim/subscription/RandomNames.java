package dev.seriatim.subscription;

import java.util.random.RandomGenerator;

/** Ids and secrets that nobody can guess. Thread-safe when its generator is. */
final class RandomNames {

  private static final String BASE62 =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int ID_LENGTH = 16;
  private static final int SECRET_BYTES = 32;

  private final RandomGenerator random;

  /**
   * @param random must be cryptographically strong: secrets come from it
   */
  RandomNames(RandomGenerator random) {
    this.random = random;
  }

  /** {@code sub_} and 95 random bits. */
  String subscriptionId() {
    StringBuilder id = new StringBuilder("sub_");
    for (int i = 0; i < ID_LENGTH; i++) {
      id.append(BASE62.charAt(random.nextInt(BASE62.length())));
    }
    return id.toString();
  }

  WebhookSecret secret() {
    byte[] key = new byte[SECRET_BYTES];
    random.nextBytes(key);
    return WebhookSecret.of(key);
  }
}
