package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Content types (RFC 9110 section 8.3), as text: what is sent on is what was received. */
final class ContentTypes {

  static final String JSON = "application/json";
  static final String OCTETS = "application/octet-stream";
  static final String NDJSON = "application/x-ndjson";
  static final String CLOUD_EVENT = "application/cloudevents+json";
  static final String CLOUD_EVENT_BATCH = "application/cloudevents-batch+json";

  private static final int MAX_LENGTH = 256;
  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

  /** A type, a subtype and whatever parameters, in visible ASCII: safe to send as a header. */
  private static final Pattern SENDABLE =
      Pattern.compile(TOKEN + "/" + TOKEN + "[ \\t]*(;[\\x20-\\x7E\\t]*)?");

  private static final Pattern CHARSET =
      Pattern.compile(
          ";\\s*charset\\s*=\\s*\"?([^\";\\s]*)\"?\\s*(?=;|$)", Pattern.CASE_INSENSITIVE);

  private ContentTypes() {}

  /** Type and subtype in lower case, without parameters. */
  static String essence(String contentType) {
    int semicolon = contentType.indexOf(';');
    return (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
        .strip()
        .toLowerCase(Locale.ROOT);
  }

  /** Whether it declares JSON: the subtype is {@code json} or ends with {@code +json}. */
  static boolean isJson(String contentType) {
    String essence = essence(contentType);
    return essence.endsWith("/json") || essence.endsWith("+json");
  }

  /** Refuses JSON that is declared to be in another encoding than UTF-8. */
  static void requireUtf8(String contentType) {
    Matcher charset = CHARSET.matcher(contentType);
    while (charset.find()) {
      if (!charset.group(1).equalsIgnoreCase("utf-8")) {
        throw unsupported(
            "JSON must be sent in UTF-8, not in " + charset.group(1) + "; leave charset out");
      }
    }
  }

  /** A content type that can be sent on to receivers as it is. */
  static String sendable(String field, String contentType) {
    if (contentType.length() > MAX_LENGTH || !SENDABLE.matcher(contentType).matches()) {
      throw ProblemException.invalid(
          field,
          "must be a media type such as text/plain;charset=utf-8, of at most %d ASCII characters"
              .formatted(MAX_LENGTH));
    }
    return contentType;
  }

  static ProblemException unsupported(String detail) {
    return new ProblemException(ProblemType.UNSUPPORTED_MEDIA_TYPE, detail);
  }
}
