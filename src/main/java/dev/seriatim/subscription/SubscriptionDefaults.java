package dev.seriatim.subscription;

import dev.seriatim.api.UnusableSettingsException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * What holds for a subscription that does not say otherwise, and the most it may ask for.
 *
 * @param timeout total deadline of one attempt, from dialling to the last byte of the answer; 0.1 s
 *     to {@code max-timeout}
 * @param maxTimeout longest deadline that a subscription may ask for. A lease must outlive it, so a
 *     longer one makes takeover after a crash slower
 * @param maxInFlight requests under way to one endpoint at once, 1 to 1000
 * @param retry how a failing head is retried
 */
@Validated
@ConfigurationProperties("seriatim.delivery")
public record SubscriptionDefaults(
    @DefaultValue("PT15S") Duration timeout,
    @DefaultValue("PT15S") Duration maxTimeout,
    @DefaultValue("16") @Min(1) @Max(Limits.MAX_IN_FLIGHT) int maxInFlight,
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

  /**
   * How a failing head is retried.
   *
   * @param maxAttempts attempts in all, 1 to 100
   * @param initialDelay wait after the first failed attempt, 0 to 7 days
   * @param multiplier growth of the wait from attempt to attempt, 1 to 100
   * @param maxDelay upper bound of the wait, {@code initial-delay} to 7 days
   * @param jitter share by which a wait is varied at random either way, 0 to 1
   * @param maxAge how long a head may go on failing, counted from its first attempt, 1 s to 90 days
   */
  public record Retry(
      @DefaultValue("8") @Min(1) @Max(Limits.MAX_ATTEMPTS) int maxAttempts,
      @DefaultValue("PT5S") @DurationMin @DurationMax(days = Limits.MAX_DELAY_DAYS)
          Duration initialDelay,
      @DefaultValue("4.0") @DecimalMin("1") @DecimalMax("100") double multiplier,
      @DefaultValue("PT10H") @DurationMin @DurationMax(days = Limits.MAX_DELAY_DAYS)
          Duration maxDelay,
      @DefaultValue("0.2") @DecimalMin("0") @DecimalMax("1") double jitter,
      @DefaultValue("P3D") @DurationMin(seconds = 1) @DurationMax(days = Limits.MAX_AGE_DAYS)
          Duration maxAge) {

    public Retry {
      if (maxDelay.compareTo(initialDelay) < 0) {
        throw new UnusableSettingsException(
            "seriatim.delivery.retry.max-delay is %s, which is less than seriatim.delivery.retry.initial-delay, %s."
                .formatted(maxDelay, initialDelay),
            "Raise seriatim.delivery.retry.max-delay or shorten seriatim.delivery.retry.initial-delay.");
      }
    }
  }
}
