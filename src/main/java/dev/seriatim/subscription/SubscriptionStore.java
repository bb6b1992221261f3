package dev.seriatim.subscription;

import dev.seriatim.api.PageRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * What the API does with subscriptions: each method is one statement. To the API a deleted
 * subscription is none, and its id is free again. Thread-safe; blocks on the database.
 */
@Repository
class SubscriptionStore {

  /** No row when the id is in use: by then nothing was written, not even the secret. */
  private static final String INSERT =
      """
      with s as (
        insert into subscription (id, tenant, url, event_types, ordering, on_exhausted, blocks,
          max_attempts, initial_delay_ms, multiplier, max_delay_ms, jitter, max_age_ms,
          retry_schedule_ms, timeout_ms, max_in_flight, rate_limit, rate_per_ms, rate_burst, headers)
        values (:id, :tenant, :url, :eventTypes, :ordering, :onExhausted, :blocks,
          :maxAttempts, :initialDelay, :multiplier, :maxDelay, :jitter, :maxAge,
          cast(:schedule as bigint[]), :timeout, :maxInFlight, :rateLimit, :ratePer, :rateBurst,
          cast(:headers as jsonb))
        on conflict (id) where state <> 'DELETED' do nothing
        returning *
      ), k as (
        insert into subscription_secret (subscription_pk, secret) select s.pk, :secret from s
      )
      select %s from s
      """
          .formatted(SubscriptionRows.COLUMNS);

  private static final String FIND =
      "select %s from subscription s where s.id = :id and s.state <> 'DELETED'"
          .formatted(SubscriptionRows.COLUMNS);

  /**
   * Not "for update": that would make publishers wait who insert a lane that references the row.
   */
  private static final String LOCK = FIND + " for no key update of s";

  private static final String LIST =
      """
      select %s from subscription s
      where s.state <> 'DELETED'
        and (cast(:tenant as text) is null or s.tenant = :tenant)
        and (cast(:after as text) is null or s.id > :after)
      order by s.id
      limit :limit
      """
          .formatted(SubscriptionRows.COLUMNS);

  /**
   * Neither id, tenant nor ordering: they decide which lanes there are. What is known against the
   * endpoint is of the old URL only: the delete reads the row as it was before.
   */
  private static final String UPDATE =
      """
      with forgotten as (
        delete from endpoint e using subscription former
        where former.id = :id and former.state <> 'DELETED' and former.url <> :url
          and e.subscription_pk = former.pk
      )
      update subscription s set url = :url, event_types = :eventTypes, on_exhausted = :onExhausted,
        blocks = :blocks, max_attempts = :maxAttempts, initial_delay_ms = :initialDelay,
        multiplier = :multiplier, max_delay_ms = :maxDelay, jitter = :jitter, max_age_ms = :maxAge,
        retry_schedule_ms = cast(:schedule as bigint[]), timeout_ms = :timeout,
        max_in_flight = :maxInFlight, rate_limit = :rateLimit, rate_per_ms = :ratePer,
        rate_burst = :rateBurst, headers = cast(:headers as jsonb), updated_at = clock_timestamp(),
        changed_tx = pg_current_xact_id()
      where s.id = :id and s.state <> 'DELETED'
      returning %s
      """
          .formatted(SubscriptionRows.COLUMNS);

  /**
   * The last predicate of the first part makes a repetition change nothing, neither the reason nor
   * the times. One that is enabled begins anew, however long it has failed.
   */
  private static final String MOVE =
      """
      with moved as (
        update subscription set state = :state, disabled_reason = :reason,
          updated_at = clock_timestamp(), changed_tx = pg_current_xact_id()
        where id = :id and state <> 'DELETED' and state <> :state
        returning pk
      ), forgotten as (
        delete from endpoint e using moved m where e.subscription_pk = m.pk and :state <> 'DISABLED'
      )
      select count(*) from moved
      """;

  private final JdbcClient jdbc;
  private final SubscriptionRows rows;

  SubscriptionStore(JdbcClient jdbc, SubscriptionRows rows) {
    this.jdbc = jdbc;
    this.rows = rows;
  }

  /** Empty when the id is in use. */
  Optional<Subscription> insert(SubscriptionSpec spec, WebhookSecret secret) {
    Map<String, @Nullable Object> parameters = parameters(spec);
    parameters.put("secret", secret.reveal());
    return jdbc.sql(INSERT).params(parameters).query(rows).optional();
  }

  Optional<Subscription> find(String id) {
    return jdbc.sql(FIND).param("id", id).query(rows).optional();
  }

  /** Keeps others from changing it until the caller's transaction ends. */
  Optional<Subscription> lock(String id) {
    return jdbc.sql(LOCK).param("id", id).query(rows).optional();
  }

  /** In order of their ids, up to {@link PageRequest#rowsToRead()}. */
  List<Subscription> list(@Nullable String tenant, PageRequest page) {
    return jdbc.sql(LIST)
        .param("tenant", tenant)
        .param("after", page.after())
        .param("limit", page.rowsToRead())
        .query(rows)
        .list();
  }

  /** Empty when it was deleted meanwhile. */
  Optional<Subscription> update(SubscriptionSpec spec) {
    return jdbc.sql(UPDATE).params(parameters(spec)).query(rows).optional();
  }

  /**
   * Enables, disables or deletes it; nothing happens when it already is in that state.
   *
   * @return whether something changed
   */
  boolean move(String id, Subscription.State state, @Nullable String reason) {
    return jdbc.sql(MOVE)
            .param("id", id)
            .param("state", state.name())
            .param("reason", reason)
            .query(Long.class)
            .single()
        > 0;
  }

  private Map<String, @Nullable Object> parameters(SubscriptionSpec spec) {
    Map<String, @Nullable Object> parameters = new HashMap<>();
    parameters.put("id", spec.id());
    parameters.put("tenant", spec.tenant());
    parameters.put("url", spec.url().toString());
    parameters.put("eventTypes", spec.eventTypes().toArray(String[]::new));
    parameters.put("ordering", spec.ordering().name());
    parameters.put("onExhausted", spec.onExhausted().name());
    parameters.put("blocks", spec.blocks().name());
    RetryColumns.write(spec.retry(), parameters);
    parameters.put("timeout", spec.timeout().toMillis());
    parameters.put("maxInFlight", spec.maxInFlight());
    RateLimit rateLimit = spec.rateLimit();
    parameters.put("rateLimit", rateLimit == null ? null : rateLimit.limit());
    parameters.put("ratePer", rateLimit == null ? null : rateLimit.per().toMillis());
    parameters.put("rateBurst", rateLimit == null ? null : rateLimit.burst());
    parameters.put("headers", rows.headers(spec.headers()));
    return parameters;
  }
}
