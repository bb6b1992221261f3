package dev.seriatim.queue;

import dev.seriatim.subscription.OrderingScope;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Gives out the sequences of lanes and locks them until the transaction ends. Thread-safe. */
final class LaneNumbers {

  // The row lock that this takes on a lane until the commit makes commit order, sequence order and
  // delivery order the
  // same for the lane. The arrays come sorted, so that two transactions lock lanes in the same
  // order and cannot deadlock.
  private static final String ADVANCE_LANES =
      """
      insert into lane (tenant, subscription_pk, key, last_sequence)
      select * from unnest(:tenants::text[], :subscriptions::bigint[], :keys::text[], :counts::bigint[])
      on conflict (tenant, subscription_pk, key)
        do update set last_sequence = lane.last_sequence + excluded.last_sequence
      returning id, tenant, subscription_pk, key, last_sequence
      """;

  /**
   * @param subscription null for a lane that the tenant's subscriptions share
   */
  record LaneKey(String tenant, @Nullable Long subscription, String key) {
    static final Comparator<LaneKey> ORDER =
        Comparator.comparing(LaneKey::tenant)
            .thenComparing(LaneKey::subscription, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(LaneKey::key);
  }

  /** A lane of which this transaction hands out the sequences up to its last one. */
  static final class Advanced {
    final long id;
    long next;

    Advanced(long id, long next) {
      this.id = id;
      this.next = next;
    }
  }

  /** The lane that a delivery joins; null for one without order. */
  static @Nullable LaneKey key(
      OrderingScope ordering,
      String tenant,
      long subscriptionPk,
      String subscriptionId,
      @Nullable String resource) {
    String key = ordering.key(tenant, subscriptionId, resource);
    return key == null
        ? null
        : new LaneKey(tenant, ordering.sharedByTenant() ? null : subscriptionPk, key);
  }

  /** How many sequences are wanted of which lanes, in the order in which they are locked. */
  static SortedMap<LaneKey, Long> counts() {
    return new TreeMap<>(LaneKey.ORDER);
  }

  private final JdbcClient jdbc;

  LaneNumbers(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * Locks the lanes, making those that are new.
   *
   * @param counts made by {@link #counts()}; 0 locks a lane only
   */
  Map<LaneKey, Advanced> advance(SortedMap<LaneKey, Long> counts) {
    Map<LaneKey, Advanced> lanes = new HashMap<>();
    if (counts.isEmpty()) {
      return lanes;
    }
    Collection<LaneKey> keys = counts.keySet();
    jdbc.sql(ADVANCE_LANES)
        .param("tenants", SqlArray.of("text", keys.stream().map(LaneKey::tenant).toArray()))
        .param(
            "subscriptions",
            SqlArray.of("bigint", keys.stream().map(LaneKey::subscription).toArray()))
        .param("keys", SqlArray.of("text", keys.stream().map(LaneKey::key).toArray()))
        .param("counts", SqlArray.of("bigint", counts.values().toArray()))
        .query(
            row -> {
              LaneKey key =
                  new LaneKey(
                      row.getString("tenant"),
                      row.getObject("subscription_pk", Long.class),
                      row.getString("key"));
              long first = row.getLong("last_sequence") - counts.getOrDefault(key, 0L) + 1;
              lanes.put(key, new Advanced(row.getLong("id"), first));
            });
    return lanes;
  }
}
