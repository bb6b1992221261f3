package dev.seriatim.operations;

import dev.seriatim.api.Fields;
import dev.seriatim.api.ProblemException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads query parameters as they came; null stays null. Each ends the request with a problem that
 * names the parameter.
 */
final class Filters {

  /** RFC 3339 has years of four digits, all of which PostgreSQL can compare with. */
  private static final int LAST_YEAR = 9999;

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Filters() {}

  static @Nullable String name(String parameter, @Nullable String value) {
    return value == null ? null : Fields.name(parameter, value);
  }

  static @Nullable String key(String parameter, @Nullable String value) {
    return value == null ? null : Fields.key(parameter, value);
  }

  /** A text of whatever length that is compared as a whole. */
  static @Nullable String text(String parameter, @Nullable String value) {
    if (value != null && (value.isEmpty() || value.chars().anyMatch(Character::isISOControl))) {
      throw ProblemException.invalid(parameter, "must not be empty nor contain control characters");
    }
    return value;
  }

  /** One of an enum, by its exact name. */
  static <E extends Enum<E>> @Nullable E oneOf(
      Class<E> type, String parameter, @Nullable String value) {
    if (value == null) {
      return null;
    }
    E[] known = type.getEnumConstants();
    return Arrays.stream(known)
        .filter(one -> one.name().equals(value))
        .findFirst()
        .orElseThrow(
            () ->
                ProblemException.invalid(
                    parameter,
                    Arrays.stream(known)
                        .map(Enum::name)
                        .collect(Collectors.joining(", ", "must be one of ", ""))));
  }

  /** False when missing. */
  static boolean flag(String parameter, @Nullable String value) {
    return switch (value) {
      case null -> false;
      case "true" -> true;
      case "false" -> false;
      default -> throw ProblemException.invalid(parameter, "must be true or false");
    };
  }

  /** RFC 3339 with any offset. */
  static @Nullable Instant time(String parameter, @Nullable String value) {
    if (value == null) {
      return null;
    }
    try {
      OffsetDateTime time = OffsetDateTime.parse(value).withOffsetSameInstant(ZoneOffset.UTC);
      if (isComparable(time)) {
        return time.toInstant();
      }
      throw badTime(parameter);
    } catch (DateTimeException e) {
      ProblemException problem = badTime(parameter);
      problem.initCause(e);
      throw problem;
    }
  }

  /** Whether the database can compare its times with it. */
  static boolean isComparable(OffsetDateTime time) {
    return time.getYear() >= 0 && time.getYear() <= LAST_YEAR;
  }

  private static ProblemException badTime(String parameter) {
    return ProblemException.invalid(
        parameter, "must be a time such as 2026-01-31T12:00:00Z (a + in it is sent as %2B)");
  }

  /** ISO 8601, not negative, of at most so many days as timestamps can be compared with. */
  static @Nullable Duration duration(String parameter, @Nullable String value) {
    if (value == null) {
      return null;
    }
    try {
      Duration duration = Duration.parse(value);
      if (!duration.isNegative() && duration.compareTo(LONGEST) <= 0) {
        return duration;
      }
      throw badDuration(parameter);
    } catch (DateTimeException | ArithmeticException e) {
      ProblemException problem = badDuration(parameter);
      problem.initCause(e);
      throw problem;
    }
  }

  private static ProblemException badDuration(String parameter) {
    return ProblemException.invalid(
        parameter,
        "must be an ISO 8601 duration such as PT15M, of at most %d days"
            .formatted(LONGEST.toDays()));
  }

  /** Refuses a range of time that nothing can be in. */
  static void range(@Nullable Instant from, @Nullable Instant to) {
    if (from != null && to != null && !from.isBefore(to)) {
      throw ProblemException.invalid("from", "must be before to, which is not in the range itself");
    }
  }
}
