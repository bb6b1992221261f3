package dev.seriatim.subscription;

import static dev.seriatim.api.ProblemException.invalid;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The headers that a subscription adds to its requests. They must not break the request, or pretend
 * to be what Seriatim says in headers of its own.
 */
final class CustomHeaders {

  /** RFC 9110, 5.6.2. */
  private static final Pattern TOKEN =
      Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1," + Limits.MAX_HEADER_NAME_LENGTH + "}");

  /**
   * What the sender sets from the request itself, what belongs to the connection (RFC 9110, 7.6.1),
   * and what the trace sets. In lower case.
   */
  private static final Set<String> RESERVED =
      Set.of(
          "host",
          "content-length",
          "content-type",
          "content-encoding",
          "transfer-encoding",
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "upgrade",
          "expect",
          "http2-settings",
          "traceparent",
          "tracestate");

  private CustomHeaders() {}

  static Map<String, String> check(Map<String, @Nullable String> headers) {
    if (headers.size() > Limits.MAX_HEADERS) {
      throw invalid(
          "headers",
          "must have at most %d entries, it has %d".formatted(Limits.MAX_HEADERS, headers.size()));
    }
    Map<String, String> seen = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Map<String, String> checked = new LinkedHashMap<>();
    headers.forEach(
        (name, value) -> {
          checkName(name);
          String other = seen.put(name, name);
          if (other != null) {
            throw invalid(
                "headers." + name,
                "is the same header as %s: names are compared without case".formatted(other));
          }
          checked.put(name, checkValue("headers." + name, value));
        });
    return checked;
  }

  private static void checkName(String name) {
    if (!TOKEN.matcher(name).matches()) {
      throw invalid(
          "headers",
          "must have names of 1 to %d letters, digits and !#$%%&'*+-.^_`|~ only"
              .formatted(Limits.MAX_HEADER_NAME_LENGTH));
    }
    String lower = name.toLowerCase(Locale.ROOT);
    if (RESERVED.contains(lower) || lower.startsWith("webhook-") || lower.startsWith("seriatim-")) {
      throw invalid("headers." + name, "cannot be set: it is reserved for what Seriatim sends");
    }
  }

  private static String checkValue(String field, @Nullable String value) {
    if (value == null) {
      throw invalid(field, "must be a string");
    }
    if (value.length() > Limits.MAX_HEADER_VALUE_LENGTH) {
      throw invalid(
          field,
          "must have at most %d characters, it has %d"
              .formatted(Limits.MAX_HEADER_VALUE_LENGTH, value.length()));
    }
    if (!value.chars().allMatch(c -> c >= ' ' && c < 0x7f) || !value.equals(value.strip())) {
      throw invalid(
          field,
          "must have visible ASCII characters only, with spaces between them at most; no line breaks");
    }
    return value;
  }
}
