package dev.seriatim.api;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may call.
 *
 * @param token API token that every request must carry as Authorization: Bearer; at least 16
 *     visible ASCII characters. With neither this (unset or empty) nor operators the service
 *     listens on loopback only.
 * @param operators More tokens of the same kind, by the name of who has it, under which the audit
 *     shows what they did. All may do the same. A name has up to 64 letters, digits, _ . and -.
 */
@ConfigurationProperties("seriatim.security")
record SecuritySettings(@Nullable String token, @DefaultValue Map<String, String> operators) {

  private static final int MIN_LENGTH = 16;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
  private static final Set<String> TAKEN = Set.of(Operator.API_TOKEN, Operator.LOOPBACK);
  private static final String TOKEN = "seriatim.security.token";

  SecuritySettings {
    // An empty environment variable means the same as none.
    token = token == null || token.isEmpty() ? null : token;
    operators = Collections.unmodifiableMap(new LinkedHashMap<>(operators));
    Map<String, String> seen = new HashMap<>();
    if (token != null) {
      check(TOKEN, token, seen);
    }
    for (Map.Entry<String, String> operator : operators.entrySet()) {
      checkName(operator.getKey());
      check("seriatim.security.operators." + operator.getKey(), operator.getValue(), seen);
    }
  }

  /** All tokens by the name of whose they are; none: only this machine may call. */
  Map<String, String> tokens() {
    Map<String, String> all = new LinkedHashMap<>(operators);
    if (token != null) {
      all.put(Operator.API_TOKEN, token);
    }
    return all;
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches() || TAKEN.contains(name)) {
      throw new UnusableSettingsException(
          "seriatim.security.operators has the name %s, which the audit could not show as a person's."
              .formatted(name),
          "Use 1 to 64 letters, digits, _ . and -, and neither %s nor %s, which the service uses itself."
              .formatted(Operator.API_TOKEN, Operator.LOOPBACK));
    }
  }

  private static void check(String property, String token, Map<String, String> seen) {
    // No message repeats the token: it would end up in a log.
    if (token.length() < MIN_LENGTH) {
      throw new UnusableSettingsException(
          "%s has %d characters, which is too easy to guess: it needs at least %d."
              .formatted(property, token.length(), MIN_LENGTH),
          "Set a longer token, for example the output of: openssl rand -hex 32");
    }
    if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new UnusableSettingsException(
          "%s has characters that no HTTP header can carry unchanged.".formatted(property),
          "Use visible ASCII characters without spaces, for example the output of: openssl rand -hex 32");
    }
    String other = seen.putIfAbsent(token, property);
    if (other != null) {
      throw new UnusableSettingsException(
          "%s and %s are the same token: nobody could tell who did what."
              .formatted(other, property),
          "Give each its own, for example the output of: openssl rand -hex 32");
    }
  }

  /** Never a token. */
  @Override
  public String toString() {
    return "SecuritySettings[token=%s, operators=%s]"
        .formatted(token == null ? "none" : "***", operators.keySet());
  }
}
