package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Finds what the history refers to by the names that clients know. Thread-safe. */
@Component
class AttemptSources {

  /** Subscriptions whose attempts are read side by side. */
  static final int MOST_SUBSCRIPTIONS = 50;

  private static final String EVENT = "select pk from event where tenant = :tenant and id = :event";

  private static final String EVENT_OF_SUBSCRIPTION =
      """
      select distinct e.pk
      from subscription s
      join event e on e.tenant = s.tenant and e.id = :event
      where s.id = :subscription
      """;

  // An id is used again once it is free.
  private static final String SUBSCRIPTIONS =
      """
      select pk, state <> 'DELETED' as alive
      from subscription
      where true
      %s
      order by alive desc, pk desc
      limit :limit
      """;

  // Each part has the whole of the index on lanes to go by: a subscription's own, and the one that
  // it shares with others of its tenant.
  private static final String LANES =
      """
      select l.id as pk
      from subscription s
      join lane l on l.tenant = s.tenant and l.subscription_pk = s.pk and l.key = :key
      where s.pk = any (:subscriptions)
      union
      select l.id as pk
      from subscription s
      join lane l on l.tenant = s.tenant and l.subscription_pk is null and l.key = :key
      where s.pk = any (:subscriptions)
      """;

  private record Found(long pk, boolean alive) {}

  private final JdbcClient jdbc;

  AttemptSources(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * The event of that id: of the tenant, or of those that have had the subscription. Empty when it
   * is not known, or no longer.
   */
  List<Long> events(@Nullable String tenant, @Nullable String subscription, String event) {
    JdbcClient.StatementSpec query =
        tenant == null
            ? jdbc.sql(EVENT_OF_SUBSCRIPTION).param("subscription", subscription)
            : jdbc.sql(EVENT).param("tenant", tenant);
    return query.param("event", event).query((row, number) -> row.getLong("pk")).list();
  }

  /**
   * Subscriptions of the tenant, of that id, or both. Of the deleted ones at most so many that
   * there are {@link #MOST_SUBSCRIPTIONS} in all, those that were made last.
   *
   * @throws ProblemException when the tenant has more that are not deleted
   */
  List<Long> subscriptions(@Nullable String tenant, @Nullable String subscription) {
    Conditions conditions =
        new Conditions()
            .and("tenant = :tenant", "tenant", tenant)
            .and("id = :subscription", "subscription", subscription)
            .with("limit", MOST_SUBSCRIPTIONS + 1);
    List<Found> found =
        jdbc.sql(SUBSCRIPTIONS.formatted(conditions.sql()))
            .params(conditions.values())
            .query((row, number) -> new Found(row.getLong("pk"), row.getBoolean("alive")))
            .list();
    if (found.size() > MOST_SUBSCRIPTIONS && found.getLast().alive()) {
      throw ProblemException.invalid(
          "subscription",
          "is required here: tenant %s has more than %d of them"
              .formatted(tenant, MOST_SUBSCRIPTIONS));
    }
    return found.stream().limit(MOST_SUBSCRIPTIONS).map(Found::pk).toList();
  }

  /** The lanes of a key that these subscriptions have deliveries in. */
  List<Long> lanes(List<Long> subscriptions, String key) {
    return jdbc.sql(LANES)
        .param("subscriptions", Conditions.array(subscriptions))
        .param("key", key)
        .query((row, number) -> row.getLong("pk"))
        .list();
  }
}
