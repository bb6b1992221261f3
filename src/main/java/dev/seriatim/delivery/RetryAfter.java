package dev.seriatim.delivery;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Reads {@code Retry-After} (RFC 9110, section 10.2.3): seconds or an IMF-fixdate. Pure. */
final class RetryAfter {

  /** Longer than any wait that is granted, and far from any overflow. */
  private static final long MAX_SECONDS = 1_000_000_000;

  private RetryAfter() {}

  /**
   * @param now when the answer was received, by this pod's clock
   * @return the wait that is asked for, zero for a date that is over, at most some thirty years;
   *     null for an unreadable or missing value
   */
  static @Nullable Duration parse(@Nullable String value, Instant now) {
    if (value == null) {
      return null;
    }
    String text = value.strip();
    if (text.isEmpty()) {
      return null;
    }
    return text.chars().allMatch(c -> c >= '0' && c <= '9') ? seconds(text) : until(text, now);
  }

  private static Duration seconds(String digits) {
    long seconds = 0;
    for (int i = 0; i < digits.length() && seconds < MAX_SECONDS; i++) {
      seconds = seconds * 10 + (digits.charAt(i) - '0');
    }
    return Duration.ofSeconds(Math.min(seconds, MAX_SECONDS));
  }

  private static @Nullable Duration until(String text, Instant now) {
    try {
      Instant then = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration wait = Duration.between(now, then);
      return wait.isNegative() ? Duration.ZERO : wait;
    } catch (DateTimeException unreadable) {
      return null; // a hint that cannot be read is no hint
    }
  }
}
