package dev.seriatim.operations;

import dev.seriatim.queue.EjectReason;
import dev.seriatim.subscription.Subscription;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * What operators change of a lane and its head, each method one statement on the transaction of a
 * caller that has the lane's lock. Thread-safe.
 */
@Component
class LaneTable {

  /** What stands for the last verdict of what was never attempted. */
  static final String NOT_ATTEMPTED = "NOT_ATTEMPTED";

  private static final int FIRST_ROWS = 1000;

  // for no key update   The lock that publishing takes as well: of two operators one comes after
  // the other and sees what the first has done, and nothing joins the lane in between.
  private static final String LOCK =
      """
      select l.held_by, l.last_sequence
      from lane l
      where l.id = :id
      for no key update
      """;

  private static final String HEAD =
      """
      select d.sequence, s.id as subscription, s.state as subscription_state, p.id as partition, p.paused_reason,
        d.next_attempt_at > clock_timestamp() as waits, d.attempts > 0 as failed
      from delivery d
      join subscription s on s.pk = d.subscription_pk
      left join partition p on p.id = case when d.partition < 0 then ~d.partition else d.partition end
      where d.lane_id = :id
      order by d.sequence
      limit 1
      """;

  // held_at   A lane that a policy held stays held since then.
  private static final String HOLD =
      """
      update lane
      set state = 'HELD', held_by = 'OPERATOR', reason = :reason, held_at = coalesce(held_at, clock_timestamp()),
        changed_tx = pg_current_xact_id()
      where id = :id
      """;

  private static final String RELEASE =
      """
      update lane
      set state = 'ACTIVE', held_by = null, reason = null, held_at = null, changed_tx = pg_current_xact_id()
      where id = :id
      """;

  private static final String TOUCH =
      "update lane set changed_tx = pg_current_xact_id() where id = :id";

  // Not the head alone: what came back goes ahead of the one that ran out of attempts. last_verdict
  // stays: it tells why it had been held.
  private static final String NEW_START =
      """
      update delivery d
      set attempts = 0, first_attempt_at = null, next_attempt_at = null, own_wait_ms = null
      from (select lane_id, sequence from delivery where lane_id = :id order by sequence limit :rows) f
      where d.lane_id = f.lane_id and d.sequence = f.sequence and d.first_attempt_at is not null
      """;

  // own_wait_ms   None: no policy's wait may be counted back from the new time.
  private static final String DUE =
      """
      update delivery
      set next_attempt_at = clock_timestamp(), own_wait_ms = null
      where lane_id = :id and sequence = :sequence
      """;

  private static final String EJECT =
      """
      with removed as (
        delete from delivery
        where lane_id = :id and sequence = :sequence
        returning subscription_pk, event_pk, id, lane_id, sequence, attempts, last_verdict, enqueued_at, first_attempt_at
      )
      insert into dead_letter (tenant, subscription_pk, event_pk, delivery_id, lane_id, sequence, attempts, reason,
        last_verdict, enqueued_at, first_attempt_at)
      select s.tenant, r.subscription_pk, r.event_pk, r.id, r.lane_id, r.sequence, r.attempts, :reason,
        coalesce(r.last_verdict, :notAttempted), r.enqueued_at, r.first_attempt_at
      from removed r
      join subscription s on s.pk = r.subscription_pk
      returning id
      """;

  private final JdbcClient jdbc;

  LaneTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * @param heldBy whose doing it is that the lane itself is held, null unless it is
   * @param lastSequence that it has given to a delivery, 0 before the first
   */
  record Locked(long id, Lane.@Nullable HeldBy heldBy, long lastSequence) {}

  /**
   * @param waits whether its next attempt is due later
   * @param failed whether it has been tried
   */
  record Head(
      long sequence,
      String subscription,
      Subscription.State subscriptionState,
      @Nullable Integer partition,
      @Nullable String pausedReason,
      boolean waits,
      boolean failed) {}

  /** Keeps others from changing it, and events from joining it, until the transaction ends. */
  Optional<Locked> lock(long id) {
    return jdbc.sql(LOCK)
        .param("id", id)
        .query(
            (row, number) -> {
              String heldBy = row.getString("held_by");
              return new Locked(
                  id,
                  heldBy == null ? null : Lane.HeldBy.valueOf(heldBy),
                  row.getLong("last_sequence"));
            })
        .optional();
  }

  /** Its owner may settle it at any time. */
  Optional<Head> head(long id) {
    return jdbc.sql(HEAD)
        .param("id", id)
        .query(
            (row, number) ->
                new Head(
                    row.getLong("sequence"),
                    row.getString("subscription"),
                    Subscription.State.valueOf(row.getString("subscription_state")),
                    Rows.intOrNull(row, "partition"),
                    row.getString("paused_reason"),
                    row.getBoolean("waits"),
                    row.getBoolean("failed")))
        .optional();
  }

  void hold(long id, String reason) {
    jdbc.sql(HOLD).param("id", id).param("reason", reason).update();
  }

  void release(long id) {
    jdbc.sql(RELEASE).param("id", id).update();
  }

  /** Makes its owner look, where neither of the two above did. */
  void touch(long id) {
    jdbc.sql(TOUCH).param("id", id).update();
  }

  /**
   * The attempts and the age of what has failed count from anew, and it is due; among the first
   * {@value #FIRST_ROWS} of the lane.
   */
  void newStart(long id) {
    jdbc.sql(NEW_START).param("id", id).param("rows", FIRST_ROWS).update();
  }

  /**
   * @return false when its owner has settled it meanwhile
   */
  boolean due(long id, long sequence) {
    return jdbc.sql(DUE).param("id", id).param("sequence", sequence).update() > 0;
  }

  /**
   * Moves it to the dead letters.
   *
   * @return the dead letter's id, empty when its owner has settled it meanwhile
   */
  Optional<Long> eject(long id, long sequence) {
    return jdbc.sql(EJECT)
        .param("id", id)
        .param("sequence", sequence)
        .param("reason", EjectReason.SKIPPED.name())
        .param("notAttempted", NOT_ATTEMPTED)
        .query(Long.class)
        .optional();
  }
}
