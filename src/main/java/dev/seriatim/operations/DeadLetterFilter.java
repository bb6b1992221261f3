package dev.seriatim.operations;

import dev.seriatim.api.Fields;
import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.EjectReason;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are wanted; null lets all pass.
 *
 * @param subscription its id; also of those that are deleted
 * @param from earliest time of ejection
 * @param to first time of ejection that is no longer wanted
 */
record DeadLetterFilter(
    @Nullable String tenant,
    @Nullable String subscription,
    @Nullable String key,
    @Nullable EjectReason reason,
    @Nullable Instant from,
    @Nullable Instant to) {

  /**
   * From query parameters as they came.
   *
   * @throws ProblemException naming the first that is not acceptable
   */
  static DeadLetterFilter of(
      @Nullable String tenant,
      @Nullable String subscription,
      @Nullable String key,
      @Nullable String reason,
      @Nullable String from,
      @Nullable String to) {
    return new DeadLetterFilter(
        name("tenant", tenant),
        name("subscription", subscription),
        key == null ? null : Fields.key("key", key),
        reason(reason),
        time("from", from),
        time("to", to));
  }

  private static @Nullable String name(String parameter, @Nullable String value) {
    return value == null ? null : Fields.name(parameter, value);
  }

  /** By its exact name. */
  private static @Nullable EjectReason reason(@Nullable String value) {
    if (value == null) {
      return null;
    }
    return Arrays.stream(EjectReason.values())
        .filter(reason -> reason.name().equals(value))
        .findFirst()
        .orElseThrow(
            () ->
                ProblemException.invalid(
                    "reason",
                    Arrays.stream(EjectReason.values())
                        .map(EjectReason::name)
                        .collect(Collectors.joining(", ", "must be one of ", ""))));
  }

  /** RFC 3339 with any offset. */
  private static @Nullable Instant time(String parameter, @Nullable String value) {
    if (value == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(value).toInstant();
    } catch (DateTimeParseException e) {
      ProblemException problem =
          ProblemException.invalid(
              parameter, "must be a time such as 2026-01-31T12:00:00Z (a + in it is sent as %2B)");
      problem.initCause(e);
      throw problem;
    }
  }
}
