package dev.seriatim.subscription;

import dev.seriatim.api.UnusableSettingsException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How endpoints that fail are protected, the same for all subscriptions.
 *
 * @param breaker when an endpoint is left alone for a while
 * @param disable when an endpoint is given up
 */
@Validated
@ConfigurationProperties("seriatim.delivery")
public record EndpointSettings(
    @DefaultValue @Valid Breaker breaker, @DefaultValue @Valid Disable disable) {

  /**
   * The circuit breaker of each endpoint.
   *
   * @param enabled whether there is one
   * @param failureRate percentage of failures among the last verdicts that opens it, 1 to 100
   * @param window how many of the last verdicts count, 1 to 1000
   * @param minimumAttempts verdicts without which it does not open, 1 to window
   * @param openFor how long it is open the first time, 0.1 s to max-open-for; each time that the
   *     probe fails twice as long
   * @param maxOpenFor how long it is open at most, up to 1 h
   */
  public record Breaker(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("80") @Min(1) @Max(100) int failureRate,
      @DefaultValue("50") @Min(1) @Max(1000) int window,
      @DefaultValue("20") @Min(1) int minimumAttempts,
      @DefaultValue("5s") @DurationMin(millis = 100) Duration openFor,
      @DefaultValue("1m") @DurationMax(hours = 1) Duration maxOpenFor) {

    public Breaker {
      if (minimumAttempts > window) {
        throw new UnusableSettingsException(
            "seriatim.delivery.breaker.minimum-attempts is %d, which is more than seriatim.delivery.breaker.window, %d."
                .formatted(minimumAttempts, window),
            "Lower seriatim.delivery.breaker.minimum-attempts or raise seriatim.delivery.breaker.window.");
      }
      if (openFor.compareTo(maxOpenFor) > 0) {
        throw new UnusableSettingsException(
            "seriatim.delivery.breaker.open-for is %s, which is more than seriatim.delivery.breaker.max-open-for, %s."
                .formatted(openFor, maxOpenFor),
            "Shorten seriatim.delivery.breaker.open-for or raise seriatim.delivery.breaker.max-open-for.");
      }
    }

    /**
     * @param opening how often it opened without closing in between, this time included, at least 1
     */
    public Duration openFor(int opening) {
      Duration wait = openFor;
      for (int i = 1; i < opening && wait.compareTo(maxOpenFor) < 0; i++) {
        wait = wait.multipliedBy(2);
      }
      return wait.compareTo(maxOpenFor) < 0 ? wait : maxOpenFor;
    }
  }

  /**
   * When a subscription is disabled because its endpoint fails: after both the time and the volume.
   *
   * @param enabled whether that is done at all; an answer 410 disables in any case
   * @param after how long there has been no success, counted from the first failure, at least 1 s
   * @param volume failed attempts since then and deliveries queued for it, together, at least 1
   */
  public record Disable(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("5d") @DurationMin(seconds = 1) Duration after,
      @DefaultValue("100") @Min(1) long volume) {}
}
