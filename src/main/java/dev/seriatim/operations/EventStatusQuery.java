package dev.seriatim.operations;

import dev.seriatim.operations.EventStatus.DeliveryStatus;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.Subscription;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Puts together from the tables where the deliveries of an event stand, in one statement and so as
 * of one moment. An event has one delivery for each subscription that matched; what came of its
 * replays counts as well. Thread-safe; blocks for one round trip.
 */
@Component
class EventStatusQuery {

  /** The event itself once per delivery; once with nulls when it has none. */
  private static final String FIND =
      """
      with found as (
        select pk, tenant, id, type, resource, content_type, deliveries, published_at
        from event
        where tenant = :tenant and id = :id
      ), last_attempt as (
        select distinct on (a.subscription_pk) a.subscription_pk, a.attempt, a.verdict
        from attempt a join found on found.pk = a.event_pk
        order by a.subscription_pk, a.at desc, a.attempt desc
      )
      select e.tenant, e.id, e.type, e.resource, e.content_type, e.published_at,
             r.subscription, r.key, coalesce(q.lane_id, r.lane) as lane, coalesce(q.sequence, r.sequence) as sequence,
             coalesce(q.partition, r.partition) as partition,
             s.state, coalesce(q.held, false) as held,
             q.attempts as queued_attempts, q.next_attempt_at, q.last_verdict as queued_verdict,
             q.next_attempt_at is null or q.next_attempt_at <= clock_timestamp() as due,
             d.attempts as dead_attempts, d.last_verdict as dead_verdict, d.discarded_at is not null as discarded,
             a.attempt as last_attempt, a.verdict as attempt_verdict
      from found e
      left join rows from (
          jsonb_to_recordset(e.deliveries)
            as (delivery bigint, pk bigint, subscription text, lane bigint, key text, sequence bigint, partition integer)
        ) with ordinality
        as r (delivery, pk, subscription, lane, key, sequence, partition, place)
        on true
      left join subscription s on s.pk = r.pk
      left join lateral (
        -- by the event, not by its place: it may have been moved, or be a replay; the latest, if there are several
        select case when q.partition < 0 then ~q.partition else q.partition end as partition, q.lane_id, q.sequence,
          q.attempts, q.next_attempt_at, q.last_verdict, l.state = 'HELD' or p.paused_at is not null as held
        from delivery q
        left join lane l on l.id = q.lane_id
        left join partition p on p.id = case when q.partition < 0 then ~q.partition else q.partition end
        where q.event_pk = e.pk and q.subscription_pk = r.pk
        order by q.id desc
        limit 1
      ) q on true
      left join lateral (
        select attempts, last_verdict, discarded_at
        from dead_letter
        where event_pk = e.pk and subscription_pk = r.pk
        order by id desc
        limit 1
      ) d on true
      left join last_attempt a on a.subscription_pk = r.pk
      order by r.place
      """;

  private final JdbcClient jdbc;

  EventStatusQuery(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  Optional<EventStatus> find(String tenant, String id) {
    return jdbc.sql(FIND).param("tenant", tenant).param("id", id).query(EventStatusQuery::read);
  }

  private static Optional<EventStatus> read(ResultSet rows) throws SQLException {
    List<DeliveryStatus> deliveries = new ArrayList<>();
    EventStatus event = null;
    while (rows.next()) {
      if (event == null) {
        event =
            new EventStatus(
                rows.getString("id"),
                rows.getString("tenant"),
                rows.getString("type"),
                rows.getString("resource"),
                rows.getString("content_type"),
                Rows.instant(rows, "published_at"),
                deliveries);
      }
      if (rows.getString("subscription") != null) {
        deliveries.add(delivery(rows));
      }
    }
    return Optional.ofNullable(event);
  }

  private static DeliveryStatus delivery(ResultSet row) throws SQLException {
    Integer queued = Rows.intOrNull(row, "queued_attempts");
    Integer dead = Rows.intOrNull(row, "dead_attempts");
    Integer attempted = Rows.intOrNull(row, "last_attempt");
    String attemptVerdict = row.getString("attempt_verdict");
    DeliveryState state =
        DeliveryState.of(
            queued != null,
            row.getBoolean("held"),
            row.getBoolean("due"),
            dead != null,
            VerdictCode.DELIVERED.name().equals(attemptVerdict),
            subscriptionState(row.getString("state")));
    String verdict =
        queued != null
            ? row.getString("queued_verdict")
            : dead != null ? row.getString("dead_verdict") : attemptVerdict;
    return new DeliveryStatus(
        row.getString("subscription"),
        Rows.longOrNull(row, "lane"),
        row.getString("key"),
        Rows.longOrNull(row, "sequence"),
        row.getInt("partition"),
        row.getBoolean("discarded") ? state.discarded() : state,
        queued != null ? queued : dead != null ? dead : attempted,
        Rows.instantOrNull(row, "next_attempt_at"),
        verdict);
  }

  /** A subscription that is gone altogether was deleted. */
  private static Subscription.State subscriptionState(@Nullable String state) {
    return state == null ? Subscription.State.DELETED : Subscription.State.valueOf(state);
  }
}
