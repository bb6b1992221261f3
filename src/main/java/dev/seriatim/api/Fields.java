package dev.seriatim.api;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Checks that several requests share. Each returns the value or ends the request with a problem
 * that names the field.
 */
public final class Fields {

  /** Longest name or key, in bytes of UTF-8: they are indexed and sent as headers. */
  public static final int MAX_BYTES = 256;

  private Fields() {}

  /** A name that must be there and not empty: tenant, id, type. */
  public static String name(String field, @Nullable String value) {
    if (value == null) {
      throw ProblemException.invalid(field, "is required");
    }
    if (value.isEmpty()) {
      throw ProblemException.invalid(field, "must not be empty");
    }
    return key(field, value);
  }

  /**
   * A key: may be empty, has at most {@link #MAX_BYTES} bytes of UTF-8 and no control characters.
   */
  public static String key(String field, String value) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isISOControl(value.charAt(i))) {
        throw ProblemException.invalid(
            field,
            "must not contain control characters (U+%04X at %d)"
                .formatted((int) value.charAt(i), i));
      }
    }
    int bytes;
    try {
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value)).remaining();
    } catch (CharacterCodingException loneSurrogate) {
      throw ProblemException.invalid(field, "must be valid Unicode (it has half a surrogate pair)");
    }
    if (bytes > MAX_BYTES) {
      throw ProblemException.invalid(
          field, "must have at most %d bytes in UTF-8, it has %d".formatted(MAX_BYTES, bytes));
    }
    return value;
  }
}
