package dev.seriatim.publish;

import dev.seriatim.api.Fields;
import dev.seriatim.api.ProblemException;
import java.time.Clock;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What events may be called, and what they are called when the producer gives no id. */
@Component
class EventNames {

  private final Clock clock;
  private final RandomGenerator random;

  /**
   * @param random must be safe for use by many threads
   */
  EventNames(Clock clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
  }

  /**
   * An id that nobody else has: {@code evt_} and 32 hexadecimal digits, of which the first twelve
   * are the time in milliseconds, as in UUID version 7 (RFC 9562), so that new ids lie side by side
   * in the index, and the other 80 bits random.
   */
  String newId() {
    HexFormat hex = HexFormat.of();
    return "evt_"
        + hex.toHexDigits(clock.millis(), 12)
        + hex.toHexDigits((short) random.nextInt())
        + hex.toHexDigits(random.nextLong());
  }

  /**
   * An event type: a name without white space, and without {@code *}, which subscriptions use to
   * match types.
   */
  static String type(String field, @Nullable String value) {
    String type = Fields.name(field, value);
    if (type.codePoints().anyMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c))) {
      throw ProblemException.invalid(field, "must not contain white space");
    }
    if (type.indexOf('*') >= 0) {
      throw ProblemException.invalid(
          field, "must not contain *, which is for the patterns of subscriptions");
    }
    return type;
  }
}
