package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What the forms of an event in JSON share. */
final class Json {

  /** Levels of objects and arrays that one value in an event may have. */
  static final int MAX_DEPTH = 500;

  private static final int MAX_SHOWN = 64;

  private Json() {}

  /** The kinds of values, as RFC 8259 calls them. */
  enum Kind {
    OBJECT("an object"),
    ARRAY("an array"),
    STRING("a string"),
    NUMBER("a number"),
    BOOLEAN("a boolean"),
    NULL("null");

    private final String description;

    Kind(String description) {
      this.description = description;
    }

    /** Of a valid value. */
    static Kind of(Slice value) {
      return switch (value.bytes()[value.from()]) {
        case '{' -> OBJECT;
        case '[' -> ARRAY;
        case '"' -> STRING;
        case 't', 'f' -> BOOLEAN;
        case 'n' -> NULL;
        default -> NUMBER;
      };
    }

    /** With its article, to be put after "it is". */
    String description() {
      return description;
    }
  }

  /**
   * The text that a valid JSON string stands for, half surrogate pairs included.
   *
   * @param string its bytes, quotes included
   */
  static String text(Slice string) {
    String raw = string.part(1, string.length() - 1).text();
    if (raw.indexOf('\\') < 0) {
      return raw;
    }
    StringBuilder text = new StringBuilder(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c != '\\') {
        text.append(c);
      } else if (raw.charAt(++i) == 'u') {
        text.append((char) Integer.parseInt(raw, i + 1, i + 5, 16));
        i += 4;
      } else {
        text.append(unescaped(raw.charAt(i)));
      }
    }
    return text.toString();
  }

  private static char unescaped(char escape) {
    return switch (escape) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> escape;
    };
  }

  /** Refuses what is not UTF-8 from beginning to end. */
  static void requireUtf8(Slice body) {
    int invalid = body.firstInvalidUtf8();
    if (invalid >= 0) {
      throw new ProblemException(
          ProblemType.INVALID_REQUEST,
          "The JSON must be encoded in UTF-8; it stops being so at byte " + invalid);
    }
  }

  /**
   * The problem with a malformed text.
   *
   * @param field the member that was being read, null outside of any
   */
  static ProblemException problem(@Nullable String field, MalformedJsonException cause) {
    ProblemException problem =
        field == null
            ? new ProblemException(ProblemType.INVALID_REQUEST, "The body " + cause.what())
            : ProblemException.invalid(shown(field), cause.what());
    problem.initCause(cause);
    return problem;
  }

  /** A member's name, which may be anything at all, fit to be repeated in an answer. */
  static String shown(String name) {
    String start = name.length() <= MAX_SHOWN ? name : name.substring(0, MAX_SHOWN) + "…";
    // Half a surrogate pair cannot be written as UTF-8; this turns it into a question mark.
    return new String(start.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
