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
    @Nullable Map<String, @Nullable String> headers,
    @Schema(example = "whsec_…") @Nullable String secret) {

  /** What a change starts from; without the secret, which cannot be changed here. */
  static SubscriptionBody of(Subscription subscription) {
    return new SubscriptionBody(
        subscription.id(),
        subscription.tenant(),
        subscription.url().toString(),
        new ArrayList<>(subscription.eventTypes()),
        subscription.ordering(),
        subscription.onExhausted(),
        subscription.blocks(),
        RetryBody.of(subscription.retry()),
        subscription.timeout(),
        subscription.maxInFlight(),
        new LinkedHashMap<>(subscription.headers()),
        null);
  }

  /** See {@link RetryPolicy}. */
  @Schema(name = "RetryPolicy")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record RetryBody(
      @Schema(example = "8") @Nullable Integer maxAttempts,
      @Schema(type = "string", example = "PT5S") @Nullable Duration initialDelay,
      @Schema(example = "4.0") @Nullable Double multiplier,
      @Schema(type = "string", example = "PT10H") @Nullable Duration maxDelay,
      @Schema(example = "0.2") @Nullable Double jitter,
      @Schema(type = "string", example = "P3D") @Nullable Duration maxAge) {

    static RetryBody of(RetryPolicy retry) {
      return new RetryBody(
          retry.maxAttempts(),
          retry.initialDelay(),
          retry.multiplier(),
          retry.maxDelay(),
          retry.jitter(),
          retry.maxAge());
    }
  }
}
