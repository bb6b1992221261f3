package dev.seriatim.subscription;

import dev.seriatim.api.UnusableSettingsException;
import dev.seriatim.subscription.RetryPolicy.Backoff;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import dev.seriatim.subscription.RetryPolicy.Waits;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What holds for a subscription that does not say otherwise, and the most it may ask for.
 *
 * @param timeout total deadline of one attempt, from dialling to the last byte of the answer; 0.1 s
 *     to max-timeout
 * @param maxTimeout longest deadline that a subscription may ask for. A lease must outlive it, so a
 *     longer one makes takeover after a crash slower
 * @param maxInFlight requests under way to one endpoint at once, 1 to 1000
 * @param rateLimit requests to one endpoint per time; none by default
 * @param retry how a failing head is retried
 */
@Validated
@ConfigurationProperties("seriatim.delivery")
public record SubscriptionDefaults(
    @DefaultValue("PT15S") Duration timeout,
    @DefaultValue("PT15S") Duration maxTimeout,
    @DefaultValue("16") @Min(1) @Max(Limits.MAX_IN_FLIGHT) int maxInFlight,
    @Nullable @Valid Rate rateLimit,
    @DefaultValue @Valid Retry retry) {

  public SubscriptionDefaults {
    if (timeout.compareTo(Limits.MIN_TIMEOUT) < 0) {
      throw new UnusableSettingsException(
          "seriatim.delivery.timeout is %s, which is too short for any endpoint."
              .formatted(timeout),
          "Set seriatim.delivery.timeout to at least %s.".formatted(Limits.MIN_TIMEOUT));
    }
    if (timeout.compareTo(maxTimeout) > 0) {
      throw new UnusableSettingsException(
          "seriatim.delivery.timeout is %s, which is more than seriatim.delivery.max-timeout, %s."
              .formatted(timeout, maxTimeout),
          "Shorten seriatim.delivery.timeout or raise seriatim.delivery.max-timeout.");
    }
  }

  /** Null for no limit. */
  @Nullable RateLimit usualRateLimit() {
    return rateLimit == null ? null : rateLimit.limits();
  }

  /**
   * How often an endpoint may be called.
   *
   * @param limit requests per time, 1 to 100000
   * @param per the time, 1 s to 1 h
   * @param burst requests that may go out at once after a rest, 1 to 100000; the limit if not set
   */
  public record Rate(
      @NotNull @Min(1) @Max(Limits.MAX_RATE) Integer limit,
      @DefaultValue("1s") @DurationMin(seconds = 1) @DurationMax(seconds = Limits.MAX_RATE_SECONDS)
          Duration per,
      @Nullable @Min(1) @Max(Limits.MAX_RATE) Integer burst) {

    RateLimit limits() {
      return new RateLimit(limit, per, Objects.requireNonNullElse(burst, limit));
    }
  }

  /**
   * How a failing head is retried: by a backoff, or by a schedule, or by a preset, which is a
   * schedule by name.
   *
   * @param maxAttempts attempts in all, 1 to 100; 8 if not set
   * @param initialDelay wait after the first failed attempt, 0 to 7 days; 5 s if not set
   * @param multiplier growth of the wait from attempt to attempt, 1 to 100; 4 if not set
   * @param maxDelay upper bound of the wait, initial-delay to 7 days; 10 h if not set
   * @param jitter share by which a wait is varied at random either way, 0 to 1
   * @param maxAge how long a head may go on failing, counted from its first attempt, 1 s to 90 days
   * @param schedule the wait after the first failed attempt, after the second, and so on, up to 99,
   *     each 0 to 7 days, instead of a backoff; none by default
   * @param preset a schedule by its name, instead of one of your own; none by default
   */
  public record Retry(
      @Nullable @Min(1) @Max(Limits.MAX_ATTEMPTS) Integer maxAttempts,
      @Nullable @DurationMin @DurationMax(days = Limits.MAX_DELAY_DAYS) Duration initialDelay,
      @Nullable @DecimalMin("1") @DecimalMax("100") Double multiplier,
      @Nullable @DurationMin @DurationMax(days = Limits.MAX_DELAY_DAYS) Duration maxDelay,
      @DefaultValue("0.2") @DecimalMin("0") @DecimalMax("1") double jitter,
      @DefaultValue("P3D") @DurationMin(seconds = 1) @DurationMax(days = Limits.MAX_AGE_DAYS)
          Duration maxAge,
      @DefaultValue @Size(max = Limits.MAX_WAITS)
          List<@DurationMin @DurationMax(days = Limits.MAX_DELAY_DAYS) Duration> schedule,
      @Nullable RetryPreset preset) {

    private static final String PREFIX = "seriatim.delivery.retry.";
    private static final Backoff USUAL =
        new Backoff(8, Duration.ofSeconds(5), 4, Duration.ofHours(10));

    public Retry {
      schedule = List.copyOf(schedule);
      String waits = preset == null ? "schedule" : "preset";
      if (preset != null && !schedule.isEmpty()) {
        throw bothSet("schedule", waits);
      }
      if (preset != null || !schedule.isEmpty()) {
        mustNotBeSet("max-attempts", maxAttempts, waits);
        mustNotBeSet("initial-delay", initialDelay, waits);
        mustNotBeSet("multiplier", multiplier, waits);
        mustNotBeSet("max-delay", maxDelay, waits);
      }
      switch (waits(schedule, preset, backoff(maxAttempts, initialDelay, multiplier, maxDelay))) {
        case Backoff backoff -> mustGrow(backoff);
        case Schedule all -> mustFit(all, waits, maxAge);
      }
    }

    /** What holds for a subscription that says neither a schedule nor anything of a backoff. */
    Waits waits() {
      return waits(schedule, preset, backoff());
    }

    /** What holds for a subscription that says something of a backoff, for the rest of it. */
    Backoff backoff() {
      return backoff(maxAttempts, initialDelay, multiplier, maxDelay);
    }

    private static Waits waits(
        List<Duration> schedule, @Nullable RetryPreset preset, Backoff backoff) {
      if (preset != null) {
        return preset.schedule();
      }
      return schedule.isEmpty() ? backoff : new Schedule(schedule);
    }

    private static Backoff backoff(
        @Nullable Integer maxAttempts,
        @Nullable Duration initialDelay,
        @Nullable Double multiplier,
        @Nullable Duration maxDelay) {
      return new Backoff(
          Objects.requireNonNullElse(maxAttempts, USUAL.maxAttempts()),
          Objects.requireNonNullElse(initialDelay, USUAL.initialDelay()),
          Objects.requireNonNullElse(multiplier, USUAL.multiplier()),
          Objects.requireNonNullElse(maxDelay, USUAL.maxDelay()));
    }

    private static void mustNotBeSet(String name, @Nullable Object value, String waits) {
      if (value != null) {
        throw bothSet(name, waits);
      }
    }

    private static UnusableSettingsException bothSet(String name, String waits) {
      return new UnusableSettingsException(
          "%s%s and %s%s are both set, and exclude each other."
              .formatted(PREFIX, waits, PREFIX, name),
          "Remove one of them.");
    }

    private static void mustGrow(Backoff backoff) {
      if (backoff.maxDelay().compareTo(backoff.initialDelay()) < 0) {
        throw new UnusableSettingsException(
            "%smax-delay is %s, which is less than %sinitial-delay, %s."
                .formatted(PREFIX, backoff.maxDelay(), PREFIX, backoff.initialDelay()),
            "Raise %smax-delay or shorten %sinitial-delay.".formatted(PREFIX, PREFIX));
      }
    }

    /** The last wait begins with a failure, at which the head must not be too old. */
    private static void mustFit(Schedule all, String waits, Duration maxAge) {
      Duration lastBegins =
          all.waits().stream().limit(all.waits().size() - 1L).reduce(Duration.ZERO, Duration::plus);
      if (lastBegins.compareTo(maxAge) >= 0) {
        throw new UnusableSettingsException(
            "%smax-age is %s, so that %s%s, whose last wait begins after %s, never comes to its last attempt."
                .formatted(PREFIX, maxAge, PREFIX, waits, lastBegins),
            "Raise %smax-age or take waits out of %sschedule.".formatted(PREFIX, PREFIX));
      }
    }
  }
}
