package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.TraceContext;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The attributes of a CloudEvent in binary mode: HTTP headers that start with {@code ce-}, decoded
 * as the HTTP protocol binding 1.0.2 says in section 3.1.3.2: first double-quoted strings are
 * unescaped, then one round of percent-decoding.
 */
final class CloudEventHeaders {

  /** The header without which a request is not taken for a CloudEvent in binary mode. */
  static final String SPEC_VERSION = "ce-specversion";

  /** The attributes of the distributed tracing extension, which never make an event malformed. */
  static final Set<String> TRACE = Set.of(TraceContext.TRACEPARENT, TraceContext.TRACESTATE);

  private static final String PREFIX = "ce-";

  private CloudEventHeaders() {}

  /**
   * By attribute name in lower case, without the prefix.
   *
   * @throws ProblemException 400 naming the header that is sent twice or cannot be decoded
   */
  static Map<String, String> read(HttpServletRequest request) {
    Map<String, String> attributes = new HashMap<>();
    for (String header : Collections.list(request.getHeaderNames())) {
      String name = header.toLowerCase(Locale.ROOT);
      if (name.startsWith(PREFIX)) {
        String attribute = name.substring(PREFIX.length());
        List<String> values = Collections.list(request.getHeaders(header));
        if (TRACE.contains(attribute)) {
          // As they are: neither has anything in it that would have to be escaped.
          if (values.size() == 1) {
            attributes.put(attribute, values.getFirst());
          }
          continue;
        }
        if (values.size() != 1) {
          throw ProblemException.invalid(name, "must be sent once, it is there " + values.size());
        }
        attributes.put(attribute, decode(name, values.getFirst()));
      }
    }
    return attributes;
  }

  /**
   * @param header its name, for the problem
   */
  static String decode(String header, String value) {
    String unquoted = unquote(header, value);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(unquoted.length());
    for (int i = 0; i < unquoted.length(); i++) {
      char c = unquoted.charAt(i);
      if (c == '%') {
        if (i + 2 >= unquoted.length()
            || !HexFormat.isHexDigit(unquoted.charAt(i + 1))
            || !HexFormat.isHexDigit(unquoted.charAt(i + 2))) {
          throw ProblemException.invalid(
              header, "has a % that two hexadecimal digits must follow; % itself is sent as %25");
        }
        bytes.write(HexFormat.fromHexDigits(unquoted, i + 1, i + 3));
        i += 2;
      } else if (c < ' ' || c > '~') {
        throw ProblemException.invalid(
            header, "must be ASCII; other characters are sent percent-encoded in UTF-8");
      } else {
        bytes.write(c);
      }
    }
    Slice decoded = Slice.of(bytes.toByteArray());
    if (decoded.firstInvalidUtf8() >= 0) {
      throw ProblemException.invalid(header, "must be valid UTF-8 after percent-decoding");
    }
    return decoded.text();
  }

  /** Double-quoted strings (RFC 9110 section 5.6.4) become what they stand for. */
  private static String unquote(String header, String value) {
    if (value.indexOf('"') < 0) {
      return value;
    }
    StringBuilder out = new StringBuilder(value.length());
    boolean quoted = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (quoted && c == '\\' && i + 1 < value.length()) {
        out.append(value.charAt(++i));
      } else {
        out.append(c);
      }
    }
    if (quoted) {
      throw ProblemException.invalid(header, "has a double quote that is never closed");
    }
    return out.toString();
  }
}
