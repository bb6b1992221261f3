package dev.seriatim.subscription;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as clients read it.
 *
 * @param secret null but in the answer to its creation
 */
@Schema(name = "Subscription")
@JsonInclude(JsonInclude.Include.NON_NULL)
record SubscriptionAnswer(
    String id,
    String tenant,
    String url,
    List<String> eventTypes,
    OrderingScope ordering,
    OnExhausted onExhausted,
    Blocks blocks,
    RetryBody retry,
    @Schema(type = "string", example = "PT15S") Duration timeout,
    int maxInFlight,
    @Nullable RateLimitBody rateLimit,
    Map<String, String> headers,
    @Schema(description = "In the answer to the creation only") @Nullable String secret,
    @Schema(allowableValues = {"ENABLED", "DISABLED"}) Subscription.State state,
    @Nullable String disabledReason,
    EndpointAnswer endpoint,
    Instant createdAt,
    Instant updatedAt) {

  static SubscriptionAnswer of(Subscription subscription, EndpointAnswer endpoint) {
    return of(subscription, endpoint, null);
  }

  /** Of one that is new, so that nothing is known of its endpoint. */
  static SubscriptionAnswer withSecret(Subscription subscription, WebhookSecret secret) {
    return of(subscription, EndpointAnswer.CLOSED, secret.reveal());
  }

  private static SubscriptionAnswer of(
      Subscription subscription, EndpointAnswer endpoint, @Nullable String secret) {
    return new SubscriptionAnswer(
        subscription.id(),
        subscription.tenant(),
        subscription.url().toString(),
        subscription.eventTypes(),
        subscription.ordering(),
        subscription.onExhausted(),
        subscription.blocks(),
        RetryBody.of(subscription.retry()),
        subscription.timeout(),
        subscription.maxInFlight(),
        RateLimitBody.of(subscription.rateLimit()),
        subscription.headers(),
        secret,
        subscription.state(),
        subscription.disabledReason(),
        endpoint,
        subscription.createdAt(),
        subscription.updatedAt());
  }
}
