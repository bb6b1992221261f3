package dev.seriatim.subscription;

import static dev.seriatim.api.ProblemException.invalid;

import dev.seriatim.api.Fields;
import java.net.URI;
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
  private final RetryRules retries;

  SubscriptionRules(SubscriptionDefaults defaults, TargetGuard targets) {
    this.defaults = defaults;
    this.targets = targets;
    this.retries = new RetryRules(defaults.retry());
  }

  /**
   * @param id the body's, or a generated one
   */
  SubscriptionSpec complete(SubscriptionBody body, String id) {
    OrderingScope ordering = or(body.ordering(), OrderingScope.SUBSCRIPTION);
    return new SubscriptionSpec(
        id(id),
        Fields.name("tenant", body.tenant()),
        url(body.url()),
        body.eventTypes() == null ? List.of("*") : EventTypes.check(body.eventTypes()),
        ordering,
        onExhausted(or(body.onExhausted(), OnExhausted.EJECT), ordering),
        or(body.blocks(), Blocks.LANE),
        retries.complete(body.retry()),
        Bounds.duration(
            "timeout",
            or(body.timeout(), defaults.timeout()),
            Limits.MIN_TIMEOUT,
            defaults.maxTimeout()),
        Bounds.whole(
            "maxInFlight", or(body.maxInFlight(), defaults.maxInFlight()), 1, Limits.MAX_IN_FLIGHT),
        rateLimit(body.rateLimit()),
        body.headers() == null ? Map.of() : CustomHeaders.check(body.headers()));
  }

  /** What has no lane cannot hold one. */
  private static OnExhausted onExhausted(OnExhausted policy, OrderingScope ordering) {
    if (policy == OnExhausted.PARK && ordering == OrderingScope.NONE) {
      throw invalid(
          "onExhausted",
          "must be EJECT or PAUSE where ordering is NONE: PARK holds a lane, and there is none");
    }
    return policy;
  }

  private @Nullable RateLimit rateLimit(@Nullable RateLimitBody given) {
    return given == null ? defaults.usualRateLimit() : given.checked();
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

  private static <T> T or(@Nullable T value, T fallback) {
    return value == null ? fallback : value;
  }
}
