package dev.seriatim.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configured tokens and whose they are, kept as digests only. Looking one up takes the same
 * time whatever is offered, and tells nothing about the tokens' lengths. Thread-safe.
 */
final class ApiTokens {

  private final Map<String, byte[]> digests = new LinkedHashMap<>();

  /**
   * @param tokens by the name of whose they are; each token once
   */
  ApiTokens(Map<String, String> tokens) {
    tokens.forEach((operator, token) -> digests.put(operator, sha256(token)));
  }

  /** Whose token it is; null when it is nobody's. */
  @Nullable String operatorOf(String offered) {
    byte[] digest = sha256(offered);
    String found = null;
    for (Map.Entry<String, byte[]> known : digests.entrySet()) {
      // To the end, whether it was found or not.
      if (MessageDigest.isEqual(known.getValue(), digest)) {
        found = known.getKey();
      }
    }
    return found;
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
