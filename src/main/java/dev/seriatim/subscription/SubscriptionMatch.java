package dev.seriatim.subscription;

import java.util.List;

/**
 * What publishing must know of an enabled subscription.
 *
 * @param pk see {@link Subscription#pk()}
 */
public record SubscriptionMatch(
    long pk, String id, String tenant, List<String> eventTypes, OrderingScope ordering) {

  /** See {@link EventTypes#want}. */
  public boolean wants(String eventType) {
    return EventTypes.want(eventTypes, eventType);
  }
}
