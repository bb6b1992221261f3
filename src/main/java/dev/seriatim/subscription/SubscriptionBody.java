package dev.seriatim.subscription;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as clients write it. Whatever is missing or null has its default.
 *
 * @param secret given at creation only
 */
@Schema(name = "SubscriptionRequest")
@JsonInclude(JsonInclude.Include.NON_NULL)
record SubscriptionBody(
    @Schema(example = "orders-acme") @Nullable String id,
    @Schema(example = "acme", requiredMode = Schema.RequiredMode.REQUIRED) @Nullable String tenant,
    @Schema(
            example = "https://hooks.acme.example/orders",
            requiredMode = Schema.RequiredMode.REQUIRED)
        @Nullable String url,
    @Schema(example = "[\"order.*\"]") @Nullable List<@Nullable String> eventTypes,
    @Nullable OrderingScope ordering,
    @Nullable OnExhausted onExhausted,
    @Nullable Blocks blocks,
    @Nullable RetryBody retry,
    @Schema(type = "string", example = "PT15S") @Nullable Duration timeout,
    @Schema(example = "16") @Nullable Integer maxInFlight,
    @Nullable RateLimitBody rateLimit,
    @Nullable Map<String, @Nullable String> headers,
    @Schema(example = "whsec_…") @Nullable String secret) {

  /**
   * What a change is merged into; without the secret, which cannot be changed here, and without
   * what the change replaces as a whole.
   */
  static SubscriptionBody under(SubscriptionBody change, Subscription subscription) {
    return new SubscriptionBody(
        subscription.id(),
        subscription.tenant(),
        subscription.url().toString(),
        new ArrayList<>(subscription.eventTypes()),
        subscription.ordering(),
        subscription.onExhausted(),
        subscription.blocks(),
        RetryBody.of(subscription.retry()).under(change.retry()),
        subscription.timeout(),
        subscription.maxInFlight(),
        RateLimitBody.mergeable(subscription.rateLimit()),
        new LinkedHashMap<>(subscription.headers()),
        null);
  }
}
