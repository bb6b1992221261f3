package dev.seriatim.subscription;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Subscriptions for those who publish and deliver. Every method is one statement on the caller's
 * transaction if there is one; nothing is cached. Thread-safe; blocks on the database.
 */
@Repository
public class SubscriptionDirectory {

  private static final String ENABLED =
      """
      select pk, id, tenant, event_types, ordering
      from subscription
      where tenant = any(:tenants) and state = 'ENABLED'
      order by tenant, id
      """;

  private static final String LOAD =
      "select %s from subscription s where s.pk = any(:pks)".formatted(SubscriptionRows.COLUMNS);

  /**
   * The snapshot whose xmin is answered is the one that this very statement reads with: what it
   * does not see yet has a transaction at or above that xmin.
   */
  private static final String CHANGED =
      """
      select cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint) as xmin,
        array(
          select pk from subscription
          where changed_tx >= cast(cast(:since as text) as xid8)) as pks
      """;

  private final JdbcClient jdbc;
  private final SubscriptionRows rows;

  SubscriptionDirectory(JdbcClient jdbc, SubscriptionRows rows) {
    this.jdbc = jdbc;
    this.rows = rows;
  }

  /**
   * What changed.
   *
   * @param pks subscriptions that were created, changed, enabled, disabled or deleted; may name one
   *     again that was named before
   * @param snapshotXmin to ask with next time
   */
  public record Changes(Set<Long> pks, long snapshotXmin) {}

  /**
   * The enabled subscriptions of some tenants, in order of tenant and id. Inside a publishing
   * transaction a subscription that was created before it is never missed.
   */
  public List<SubscriptionMatch> enabledFor(Set<String> tenants) {
    return jdbc.sql(ENABLED)
        .param("tenants", tenants.toArray(String[]::new))
        .query(
            (row, _) ->
                new SubscriptionMatch(
                    row.getLong("pk"),
                    row.getString("id"),
                    row.getString("tenant"),
                    SubscriptionRows.strings(row.getArray("event_types")),
                    OrderingScope.valueOf(row.getString("ordering"))))
        .list();
  }

  /**
   * Subscriptions in whatever state, deleted ones included, with their secrets; in no order.
   * Unknown numbers are left out.
   */
  public List<Subscription> load(Collection<Long> pks) {
    return jdbc.sql(LOAD).param("pks", pks.toArray(Long[]::new)).query(rows).list();
  }

  /**
   * What changed since an earlier call, without missing a change that commits late. A transaction
   * that stays open makes the changes since its start come back in each answer until it ends.
   *
   * @param snapshotXmin {@link Changes#snapshotXmin()} of the earlier call; null to begin, which
   *     names nothing: begin before the first {@link #load}
   */
  public Changes changedSince(@Nullable Long snapshotXmin) {
    return jdbc.sql(CHANGED)
        .param("since", snapshotXmin == null ? null : String.valueOf(snapshotXmin))
        .query(
            (row, _) ->
                new Changes(Set.of((Long[]) row.getArray("pks").getArray()), row.getLong("xmin")))
        .single();
  }
}
