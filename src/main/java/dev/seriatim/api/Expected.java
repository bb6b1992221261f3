package dev.seriatim.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What would have been right where a value of some type was expected, in the client's terms. */
final class Expected {

  private Expected() {}

  static String of(@Nullable Class<?> type) {
    if (type == null) {
      return "has a value that cannot be read";
    }
    if (type.isEnum()) {
      if (type.getEnumConstants().length == 1) {
        return "must be %s, the only value so far".formatted(type.getEnumConstants()[0]);
      }
      return Arrays.stream(type.getEnumConstants())
          .map(String::valueOf)
          .collect(Collectors.joining(", ", "must be one of ", ""));
    }
    if (type == Duration.class) {
      return "must be an ISO 8601 duration such as \"PT15S\" or \"P3D\"";
    }
    if (type == Instant.class) {
      return "must be an RFC 3339 time in UTC such as \"2026-01-31T12:00:00Z\"";
    }
    if (CharSequence.class.isAssignableFrom(type)) {
      return "must be a string";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "must be true or false";
    }
    if (type == Integer.class || type == int.class) {
      return "must be a whole number of at most 32 bits";
    }
    if (type == Long.class || type == long.class) {
      return "must be a whole number of at most 64 bits";
    }
    if (Number.class.isAssignableFrom(type) || type == double.class) {
      return "must be a number";
    }
    if (Collection.class.isAssignableFrom(type) || type.isArray()) {
      return "must be a JSON array";
    }
    if (Map.class.isAssignableFrom(type) || type.isRecord()) {
      return "must be a JSON object";
    }
    return "has a value that cannot be read";
  }
}
