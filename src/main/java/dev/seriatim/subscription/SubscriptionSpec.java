package dev.seriatim.subscription;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a client decides about a subscription: checked, and complete with the defaults. */
record SubscriptionSpec(
    String id,
    String tenant,
    URI url,
    List<String> eventTypes,
    OrderingScope ordering,
    OnExhausted onExhausted,
    Blocks blocks,
    RetryPolicy retry,
    Duration timeout,
    int maxInFlight,
    @Nullable RateLimit rateLimit,
    Map<String, String> headers) {}
