package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A place in a list of lanes, which is ordered by a value and, among equals, by the lanes' ids.
 *
 * @param value microseconds since 1970, or a depth
 */
record LanePosition(Lane.Sort sort, long value, long lane) {

  private static final Pattern TEXT = Pattern.compile("([A-Z]+),(-?\\d{1,19}),(\\d{1,19})");

  static LanePosition ofAge(Instant since, long lane) {
    return new LanePosition(Lane.Sort.AGE, ChronoUnit.MICROS.between(Instant.EPOCH, since), lane);
  }

  /**
   * Reads what {@link #text()} wrote.
   *
   * @throws IllegalArgumentException when it is something else, or a place of another list
   */
  static LanePosition parse(Lane.Sort sort, String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches() || !parts.group(1).equals(sort.name())) {
      throw new IllegalArgumentException("Not a place in this list: " + text);
    }
    LanePosition position =
        new LanePosition(sort, Long.parseLong(parts.group(2)), Long.parseLong(parts.group(3)));
    if (sort == Lane.Sort.AGE && !Filters.isComparable(position.since().atOffset(ZoneOffset.UTC))) {
      throw new IllegalArgumentException("No time of a lane: " + text);
    }
    return position;
  }

  /** The query parameter {@code sort}; by age when missing. */
  static Lane.Sort sort(@Nullable String value) {
    if (value == null) {
      return Lane.Sort.AGE;
    }
    for (Lane.Sort sort : Lane.Sort.values()) {
      if (sort.name().toLowerCase(Locale.ROOT).equals(value)) {
        return sort;
      }
    }
    throw ProblemException.invalid("sort", "must be age or depth");
  }

  /** Of a place in a list by age. */
  Instant since() {
    return Instant.EPOCH.plus(value, ChronoUnit.MICROS);
  }

  String text() {
    return "%s,%d,%d".formatted(sort, value, lane);
  }
}
