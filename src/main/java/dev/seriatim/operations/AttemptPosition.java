package dev.seriatim.operations;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the history, which is ordered by these three. No two attempts share one: a delivery
 * has one attempt at a time.
 *
 * @param at to the microsecond, as the database keeps it
 */
record AttemptPosition(Instant at, long delivery, int attempt) {

  private static final Pattern TEXT = Pattern.compile("(-?\\d{1,19}),(\\d{1,19}),(\\d{1,10})");

  /**
   * Reads what {@link #text()} wrote.
   *
   * @throws IllegalArgumentException when it is something else
   */
  static AttemptPosition parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("Not a place in the history: " + text);
    }
    Instant at = Instant.EPOCH.plus(Long.parseLong(parts.group(1)), ChronoUnit.MICROS);
    if (!Filters.isComparable(at.atOffset(ZoneOffset.UTC))) {
      throw new IllegalArgumentException("No time of an attempt: " + at);
    }
    return new AttemptPosition(
        at, Long.parseLong(parts.group(2)), Integer.parseInt(parts.group(3)));
  }

  String text() {
    return "%d,%d,%d".formatted(ChronoUnit.MICROS.between(Instant.EPOCH, at), delivery, attempt);
  }
}
