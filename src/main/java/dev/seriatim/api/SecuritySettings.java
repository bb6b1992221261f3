package dev.seriatim.api;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Who may call.
 *
 * @param token API token that every request must carry as {@code Authorization: Bearer}; at least
 *     16 visible ASCII characters. Without one (unset or empty) the service listens on loopback
 *     only.
 */
@ConfigurationProperties("seriatim.security")
record SecuritySettings(@Nullable String token) {

  private static final int MIN_LENGTH = 16;

  SecuritySettings {
    // An empty environment variable means the same as none.
    token = token == null || token.isEmpty() ? null : token;
    if (token != null) {
      check(token);
    }
  }

  private static void check(String token) {
    // Neither message repeats the token: it would end up in a log.
    if (token.length() < MIN_LENGTH) {
      throw new UnusableSettingsException(
          "seriatim.security.token has %d characters, which is too easy to guess: it needs at least %d."
              .formatted(token.length(), MIN_LENGTH),
          "Set a longer token, for example the output of: openssl rand -hex 32");
    }
    if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new UnusableSettingsException(
          "seriatim.security.token has characters that no HTTP header can carry unchanged.",
          "Use visible ASCII characters without spaces, for example the output of: openssl rand -hex 32");
    }
  }

  /** Never the token. */
  @Override
  public String toString() {
    return "SecuritySettings[token=" + (token == null ? "none" : "***") + "]";
  }
}
