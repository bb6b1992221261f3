package dev.seriatim.subscription;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of one tenant: where its webhooks go, which events, in which order and how hard to
 * try. Immutable; a change makes a new value.
 *
 * @param pk the database's own number for it; never reused, unlike {@code id}
 * @param timeout total deadline of one attempt, from dialling to the last byte of the answer
 * @param maxInFlight requests under way to this endpoint at once, over all its lanes
 * @param rateLimit requests to this endpoint per time, over all its lanes; null for no limit
 * @param secrets newest first; every one of them signs
 * @param disabledReason why it is disabled, null while enabled
 */
public record Subscription(
    long pk,
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
    Map<String, String> headers,
    List<WebhookSecret> secrets,
    State state,
    @Nullable String disabledReason,
    Instant createdAt,
    Instant updatedAt) {

  /**
   * Who moves it on: the API (enable, disable, delete), or the owner when the endpoint answers 410
   * Gone or has failed for very long.
   */
  public enum State {
    /** Matches new events; its queue is drained. */
    ENABLED,
    /** Matches no new events; what is queued is held in order until it is enabled or deleted. */
    DISABLED,
    /** Unknown to the API; what was queued is cancelled by the owner. */
    DELETED
  }

  /**
   * Whether events of this type are wanted: {@code *}, an exact name, or a prefix such as {@code
   * order.*}.
   */
  public boolean wants(String eventType) {
    return EventTypes.want(eventTypes, eventType);
  }
}
