package dev.seriatim.publish;

import java.util.BitSet;
import java.util.HexFormat;

/**
 * Walks over JSON (RFC 8259, strictly) and tells where each value begins and ends, without making
 * anything of it.
 *
 * <p>Why not a JSON parser: parsers read in order to convert, and refuse or limit what they cannot
 * convert. Jackson's refuses names with half a surrogate pair (jackson-core 1541; the same for
 * other strings is proposed in 1683), limits the length of numbers and remembers the names it has
 * seen. All of that is valid JSON and none of it is this service's business. What is accepted here
 * is exactly the grammar, with a bound on nesting.
 *
 * <p>Expects valid UTF-8. Used by one thread.
 */
final class JsonScanner {

  private static final int END = -1;

  private final Slice json;
  private final int maxDepth;
  private int at;

  /**
   * @param maxDepth levels of objects and arrays that one value may have
   */
  JsonScanner(Slice json, int maxDepth) {
    this.json = json;
    this.maxDepth = maxDepth;
    this.at = json.from();
  }

  /** Whether nothing follows but white space. */
  boolean atEnd() {
    return peekPastSpace() == END;
  }

  /** Whether the next value begins with this character. */
  boolean startsWith(char c) {
    return peekPastSpace() == c;
  }

  /** Reads the character that must come next, white space before it aside. */
  void expect(char c) {
    if (peekPastSpace() != c) {
      throw unexpected("'" + c + "'");
    }
    at++;
  }

  /**
   * Whether another element follows in the object or array that is open; reads the comma before it,
   * or the end.
   *
   * @param first whether the opening bracket was read just before
   */
  boolean hasNext(char close, boolean first) {
    if (peekPastSpace() == close) {
      at++;
      return false;
    }
    if (!first) {
      if (peek() != ',') {
        throw unexpected("a comma or '" + close + "'");
      }
      at++;
    }
    return true;
  }

  /** Reads the name of a member and the colon after it; the bytes of the name with its quotes. */
  Slice name() {
    if (peekPastSpace() != '"') {
      throw unexpected("the name of a member in double quotes");
    }
    int start = at;
    string();
    Slice name = new Slice(json.bytes(), start, at);
    expect(':');
    return name;
  }

  /** Reads one value of any kind; its bytes, without white space around. */
  Slice value() {
    peekPastSpace();
    int start = at;
    BitSet objects = new BitSet(); // for each open level, whether it is an object
    int depth = 0;
    do {
      int c = peekPastSpace();
      if (c == '{' || c == '[') {
        if (++depth > maxDepth) {
          throw new MalformedJsonException("is nested more than " + maxDepth + " levels deep");
        }
        at++;
        boolean object = c == '{';
        objects.set(depth, object);
        if (hasNext(object ? '}' : ']', true)) {
          if (object) {
            name();
          }
          continue;
        }
        depth--;
      } else {
        scalar(c);
      }
      depth = closeFinished(objects, depth);
    } while (depth > 0);
    return new Slice(json.bytes(), start, at);
  }

  /** After a value: reads closing brackets up to the next element; the levels that stay open. */
  private int closeFinished(BitSet objects, int open) {
    int depth = open;
    while (depth > 0) {
      boolean object = objects.get(depth);
      if (hasNext(object ? '}' : ']', false)) {
        if (object) {
          name();
        }
        return depth;
      }
      depth--;
    }
    return depth;
  }

  private void scalar(int first) {
    switch (first) {
      case '"' -> string();
      case 't' -> literal("true");
      case 'f' -> literal("false");
      case 'n' -> literal("null");
      case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
      default -> throw unexpected("a value");
    }
  }

  private void string() {
    at++;
    while (true) {
      int c = peek();
      if (c == '"') {
        at++;
        return;
      }
      if (c == END) {
        throw unexpected("the closing double quote of a string");
      }
      if (c >= 0 && c < ' ') {
        throw unexpected("a \\u escape for a control character");
      }
      at++;
      if (c == '\\') {
        escape();
      }
    }
  }

  private void escape() {
    int c = peek();
    if (c == 'u') {
      at++;
      for (int i = 0; i < 4; i++, at++) {
        if (!HexFormat.isHexDigit(peek())) {
          throw unexpected("four hexadecimal digits after \\u");
        }
      }
    } else if (c != END && "\"\\/bfnrt".indexOf(c) >= 0) {
      at++;
    } else {
      throw unexpected("one of \"\\/bfnrtu after a backslash");
    }
  }

  private void literal(String word) {
    for (int i = 0; i < word.length(); i++, at++) {
      if (peek() != word.charAt(i)) {
        throw unexpected(word);
      }
    }
  }

  private void number() {
    if (peek() == '-') {
      at++;
    }
    if (peek() == '0') {
      at++;
      if (isDigit(peek())) {
        throw unexpected("no digit after a leading zero");
      }
    } else {
      digits();
    }
    if (peek() == '.') {
      at++;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      digits();
    }
  }

  private void digits() {
    if (!isDigit(peek())) {
      throw unexpected("a digit");
    }
    while (isDigit(peek())) {
      at++;
    }
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private int peekPastSpace() {
    int c = peek();
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      at++;
      c = peek();
    }
    return c;
  }

  /** The byte here, 0 to 255; or {@link #END}. */
  private int peek() {
    return at < json.to() ? Byte.toUnsignedInt(json.bytes()[at]) : END;
  }

  private MalformedJsonException unexpected(String expected) {
    int line = 1;
    int lineStart = json.from();
    for (int i = json.from(); i < at; i++) {
      if (json.bytes()[i] == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    int column = new Slice(json.bytes(), lineStart, at).text().length() + 1;
    return new MalformedJsonException(
        peek() == END
            ? "is not valid JSON: it ends at line %d, column %d, where there should be %s"
                .formatted(line, column, expected)
            : "is not valid JSON: at line %d, column %d there should be %s"
                .formatted(line, column, expected));
  }
}
