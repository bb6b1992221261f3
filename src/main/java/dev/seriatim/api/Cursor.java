package dev.seriatim.api;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The last key of a page, in a form that nobody is tempted to build or take apart. */
final class Cursor {

  private Cursor() {}

  static String encode(String lastKey) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(lastKey.getBytes(StandardCharsets.UTF_8));
  }

  static String decode(String cursor) {
    try {
      byte[] key = Base64.getUrlDecoder().decode(cursor);
      String lastKey = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
      if (lastKey.isEmpty() || lastKey.chars().anyMatch(Character::isISOControl)) {
        throw invalid();
      }
      return lastKey;
    } catch (IllegalArgumentException | CharacterCodingException notOurs) {
      throw invalid();
    }
  }

  static ProblemException invalid() {
    return ProblemException.invalid(
        "cursor", "must be the nextCursor of a page of this list, or be left out");
  }
}
