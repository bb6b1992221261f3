package dev.seriatim.subscription;

import static dev.seriatim.api.ProblemException.invalid;

import dev.seriatim.api.Fields;
import dev.seriatim.subscription.SubscriptionBody.RetryBody;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Completes what a client wrote with the defaults and checks it. The first thing that cannot be
 * accepted ends the request with a problem that names the field. Thread-safe.
 */
@Component
class SubscriptionRules {

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}");

  private final SubscriptionDefaults defaults;
  private final TargetGuard targets;

  SubscriptionRules(SubscriptionDefaults defaults, TargetGuard targets) {
    this.defaults = defaults;
    this.targets = targets;
  }

  /**
   * @param id the body's, or a generated one
   */
  SubscriptionSpec complete(SubscriptionBody body, String id) {
    return new SubscriptionSpec(
        id(id),
        Fields.name("tenant", body.tenant()),
        url(body.url()),
        body.eventTypes() == null ? List.of("*") : EventTypes.check(body.eventTypes()),
        or(body.ordering(), OrderingScope.SUBSCRIPTION),
        or(body.onExhausted(), OnExhausted.EJECT),
        or(body.blocks(), Blocks.LANE),
        retry(body.retry()),
        Bounds.duration(
            "timeout",
            or(body.timeout(), defaults.timeout()),
            Limits.MIN_TIMEOUT,
            defaults.maxTimeout()),
        Bounds.whole(
            "maxInFlight", or(body.maxInFlight(), defaults.maxInFlight()), 1, Limits.MAX_IN_FLIGHT),
        body.headers() == null ? Map.of() : CustomHeaders.check(body.headers()));
  }

  private static String id(String id) {
    if (!ID.matcher(id).matches()) {
      throw invalid(
          "id",
          "must have 1 to 128 of the characters A-Z a-z 0-9 _ . : - and begin with a letter or digit");
    }
    return id;
  }

  private URI url(@Nullable String url) {
    if (url == null) {
      throw invalid("url", "is required");
    }
    if (url.length() > Limits.MAX_URL_LENGTH) {
      throw invalid(
          "url",
          "must have at most %d characters, it has %d"
              .formatted(Limits.MAX_URL_LENGTH, url.length()));
    }
    return targets.checkUrl(url);
  }

  private RetryPolicy retry(@Nullable RetryBody given) {
    SubscriptionDefaults.Retry usual = defaults.retry();
    RetryBody retry = given == null ? new RetryBody(null, null, null, null, null, null) : given;
    Duration longest = Duration.ofDays(Limits.MAX_DELAY_DAYS);
    Duration initialDelay =
        Bounds.duration(
            "retry.initialDelay",
            or(retry.initialDelay(), usual.initialDelay()),
            Duration.ZERO,
            longest);
    return new RetryPolicy(
        Bounds.whole(
            "retry.maxAttempts",
            or(retry.maxAttempts(), usual.maxAttempts()),
            1,
            Limits.MAX_ATTEMPTS),
        initialDelay,
        Bounds.number(
            "retry.multiplier",
            or(retry.multiplier(), usual.multiplier()),
            1,
            Limits.MAX_MULTIPLIER),
        Bounds.duration(
            "retry.maxDelay", or(retry.maxDelay(), usual.maxDelay()), initialDelay, longest),
        Bounds.number("retry.jitter", or(retry.jitter(), usual.jitter()), 0, 1),
        Bounds.duration(
            "retry.maxAge",
            or(retry.maxAge(), usual.maxAge()),
            Duration.ofSeconds(1),
            Duration.ofDays(Limits.MAX_AGE_DAYS)));
  }

  private static <T> T or(@Nullable T value, T fallback) {
    return value == null ? fallback : value;
  }
}
