package dev.seriatim.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The configured token, kept as a digest only. Comparing digests takes the same time whatever is
 * offered, and tells nothing about the token's length. Thread-safe.
 */
final class ApiToken {

  private final byte[] digest;

  ApiToken(String token) {
    this.digest = sha256(token);
  }

  boolean matches(String offered) {
    return MessageDigest.isEqual(digest, sha256(offered));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
