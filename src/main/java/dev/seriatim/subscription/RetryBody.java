package dev.seriatim.subscription;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.seriatim.subscription.RetryPolicy.Backoff;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RetryPolicy} as clients write and read it: either a schedule, or a preset that stands
 * for one, or the fields of a backoff.
 */
@Schema(
    name = "RetryPolicy",
    description =
        "Either a schedule (or a preset, which is one by name) or a backoff: maxAttempts,"
            + " initialDelay, multiplier, maxDelay. A change that names one of the two replaces the"
            + " other; both at once are refused.")
@JsonInclude(JsonInclude.Include.NON_NULL)
record RetryBody(
    @Schema(
            description = "Shown as the schedule that it stands for",
            accessMode = Schema.AccessMode.WRITE_ONLY)
        @Nullable RetryPreset preset,
    @ArraySchema(
            schema = @Schema(type = "string", example = "PT5S"),
            arraySchema =
                @Schema(
                    description = "The wait after the first failed attempt, after the second, …"),
            minItems = 1,
            maxItems = Limits.MAX_WAITS)
        @Nullable List<@Nullable Duration> schedule,
    @Schema(
            example = "8",
            description = "With a schedule it follows from that: one more than there are waits")
        @Nullable Integer maxAttempts,
    @Schema(type = "string", example = "PT5S") @Nullable Duration initialDelay,
    @Schema(example = "4.0") @Nullable Double multiplier,
    @Schema(type = "string", example = "PT10H") @Nullable Duration maxDelay,
    @Schema(example = "0.2") @Nullable Double jitter,
    @Schema(
            type = "string",
            example = "P3D",
            description =
                "After a failure this long after the first attempt there is no other one, even if a"
                    + " schedule has more")
        @Nullable Duration maxAge) {

  static final RetryBody EMPTY = new RetryBody(null, null, null, null, null, null, null, null);

  static RetryBody of(RetryPolicy retry) {
    return switch (retry.waits()) {
      case Backoff backoff ->
          new RetryBody(
              null,
              null,
              backoff.maxAttempts(),
              backoff.initialDelay(),
              backoff.multiplier(),
              backoff.maxDelay(),
              retry.jitter(),
              retry.maxAge());
      case Schedule schedule ->
          new RetryBody(
              null,
              List.copyOf(schedule.waits()),
              schedule.maxAttempts(),
              null,
              null,
              null,
              retry.jitter(),
              retry.maxAge());
    };
  }

  /**
   * What of it a change is merged into: a schedule and a backoff give way to each other, so that
   * nobody must null what they never wrote, and a number of attempts that followed from a schedule
   * stays behind.
   */
  RetryBody under(@Nullable RetryBody change) {
    boolean toSchedule = change != null && (change.preset != null || change.schedule != null);
    boolean toBackoff = change != null && !change.backoffDelays().isEmpty();
    if (toSchedule || (toBackoff && schedule != null)) {
      return new RetryBody(null, null, null, null, null, null, jitter, maxAge);
    }
    return schedule == null
        ? this
        : new RetryBody(null, schedule, null, null, null, null, jitter, maxAge);
  }

  /** The names of those fields of a backoff that are given, {@code maxAttempts} left aside. */
  List<String> backoffDelays() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("initialDelay", initialDelay);
    fields.put("multiplier", multiplier);
    fields.put("maxDelay", maxDelay);
    fields.values().removeIf(Objects::isNull);
    return List.copyOf(fields.keySet());
  }
}
