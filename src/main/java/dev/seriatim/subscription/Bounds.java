package dev.seriatim.subscription;

import static dev.seriatim.api.ProblemException.invalid;

import java.time.Duration;

/** Range checks of fields; each returns the value or ends the request with a problem. */
final class Bounds {

  private Bounds() {}

  static int whole(String field, int value, int least, int most) {
    if (value < least || value > most) {
      throw invalid(
          field, "must be a whole number from %d to %d, it is %d".formatted(least, most, value));
    }
    return value;
  }

  static double number(String field, double value, int least, int most) {
    // Written so that not-a-number fails, too.
    if (!(value >= least && value <= most)) {
      throw invalid(field, "must be a number from %d to %d".formatted(least, most));
    }
    return value;
  }

  /** Milliseconds are what is stored, so that finer ones would change silently. */
  static Duration duration(String field, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw invalid(field, "must be from %s to %s, it is %s".formatted(least, most, value));
    }
    if (value.getNano() % 1_000_000 != 0) {
      throw invalid(field, "must be in whole milliseconds, it is " + value);
    }
    return value;
  }
}
