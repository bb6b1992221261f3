package dev.seriatim.operations;

import dev.seriatim.api.Fields;
import dev.seriatim.api.PageRequest;
import dev.seriatim.api.ProblemException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request; one that is unknown or there twice is refused by name. */
final class QueryParameters {

  private final Map<String, List<String>> values;

  private QueryParameters(Map<String, List<String>> values) {
    this.values = values;
  }

  /** Checks that there are no others than these. */
  static QueryParameters of(Map<String, List<String>> values, Set<String> known) {
    values.forEach(
        (name, given) -> {
          if (!known.contains(name)) {
            throw ProblemException.invalid(
                name,
                known.isEmpty()
                    ? "is not a query parameter of this endpoint; it has none"
                    : "is not a query parameter of this endpoint; there are "
                        + String.join(", ", known.stream().sorted().toList()));
          }
          if (given.size() != 1) {
            throw ProblemException.invalid(name, "must be given once");
          }
        });
    return new QueryParameters(values);
  }

  /** A key, which may be empty; null when it is not given. */
  @Nullable String key(String name) {
    String value = value(name);
    return value == null ? null : Fields.key(name, value);
  }

  /** A name, which must not be empty; null when it is not given. */
  @Nullable String name(String name) {
    String value = value(name);
    return value == null ? null : Fields.name(name, value);
  }

  /** A time of RFC 3339 with any offset; null when it is not given. */
  @Nullable Instant time(String name) {
    String value = value(name);
    if (value == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(value).toInstant();
    } catch (DateTimeParseException e) {
      ProblemException problem =
          ProblemException.invalid(
              name, "must be a time such as 2026-01-31T12:00:00Z (a + in it is sent as %2B)");
      problem.initCause(e);
      throw problem;
    }
  }

  /** Which page is wanted: {@code cursor} and {@code limit}. */
  PageRequest page() {
    String limit = value("limit");
    try {
      return PageRequest.of(value("cursor"), limit == null ? null : Integer.valueOf(limit));
    } catch (NumberFormatException e) {
      ProblemException problem =
          ProblemException.invalid(
              "limit", "must be a whole number from 1 to " + PageRequest.MAX_LIMIT);
      problem.initCause(e);
      throw problem;
    }
  }

  private @Nullable String value(String name) {
    List<String> given = values.get(name);
    return given == null ? null : given.getFirst();
  }
}
