package dev.seriatim.subscription;

import static dev.seriatim.api.ProblemException.invalid;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A {@link RateLimit} as clients write and read it. */
@Schema(name = "RateLimit", description = "Requests to the endpoint per time, over all its keys")
@JsonInclude(JsonInclude.Include.NON_NULL)
record RateLimitBody(
    @Schema(example = "10", requiredMode = Schema.RequiredMode.REQUIRED) @Nullable Integer limit,
    @Schema(type = "string", example = "PT1S", description = "From PT1S, the default, to PT1H")
        @Nullable Duration per,
    @Schema(
            example = "20",
            description = "Requests that may go out at once after a rest; by default the limit")
        @Nullable Integer burst) {

  static @Nullable RateLimitBody of(@Nullable RateLimit limit) {
    return limit == null ? null : new RateLimitBody(limit.limit(), limit.per(), limit.burst());
  }

  /**
   * What a change is merged into: a burst that is the limit follows the limit, so that nobody must
   * change what they never wrote.
   */
  static @Nullable RateLimitBody mergeable(@Nullable RateLimit limit) {
    return limit == null
        ? null
        : new RateLimitBody(
            limit.limit(), limit.per(), limit.burst() == limit.limit() ? null : limit.burst());
  }

  /** Completes and checks it; see {@link SubscriptionRules}. */
  RateLimit checked() {
    if (limit == null) {
      throw invalid("rateLimit.limit", "is required; for no limit set rateLimit to null");
    }
    return new RateLimit(
        Bounds.whole("rateLimit.limit", limit, 1, Limits.MAX_RATE),
        Bounds.duration(
            "rateLimit.per",
            Objects.requireNonNullElse(per, Duration.ofSeconds(1)),
            Duration.ofSeconds(1),
            Duration.ofSeconds(Limits.MAX_RATE_SECONDS)),
        Bounds.whole(
            "rateLimit.burst", Objects.requireNonNullElse(burst, limit), 1, Limits.MAX_RATE));
  }
}
