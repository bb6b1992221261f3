package dev.seriatim.subscription;

import org.jspecify.annotations.Nullable;

/**
 * Which deliveries of a subscription share a lane and so arrive one after another. Cannot change
 * after creation.
 */
public enum OrderingScope {
  /** The subscription is one lane. */
  SUBSCRIPTION,
  /** One lane per resource; events without a resource share the subscription's own lane. */
  RESOURCE,
  /** All deliveries of the tenant's subscriptions with this scope share one lane. */
  TENANT,
  /** No order, no lane, full parallelism. */
  NONE;

  /**
   * The ordering contract: the key of the lane that a delivery joins.
   *
   * @param resource the event's resource; an empty one is a key like any other, a missing one is
   *     not
   * @return the ordering key, or null for {@link #NONE}
   */
  public @Nullable String key(String tenant, String subscriptionId, @Nullable String resource) {
    return switch (this) {
      case SUBSCRIPTION -> subscriptionId;
      case RESOURCE -> resource == null ? subscriptionId : resource;
      case TENANT -> tenant;
      case NONE -> null;
    };
  }

  /**
   * What is hashed to find the partition. All lanes of an endpoint share it, so that one owner sees
   * the whole endpoint.
   */
  public String routingKey(String tenant, String subscriptionId) {
    return this == TENANT ? tenant : subscriptionId;
  }

  /** Whether the lane belongs to the tenant instead of one subscription. */
  public boolean sharedByTenant() {
    return this == TENANT;
  }
}
