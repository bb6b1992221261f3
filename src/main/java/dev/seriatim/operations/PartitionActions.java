package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;

/**
 * Pauses and resumes partitions. Each is one transaction under the lock of the partition's row,
 * with an entry in the audit if it changed something; a repeat changes nothing and answers the
 * same. Requests under way are not broken off. Thread-safe; blocks for a few round trips.
 */
@Component
class PartitionActions {

  // for no key update   Of two operators one comes after the other. Owners that settle have the
  // weaker lock of a key and do not wait.
  private static final String LOCK =
      """
      select id, paused_reason, paused_at, lease_until > clock_timestamp() as owned
      from partition
      where id = :id
      for no key update
      """;

  private static final String PAUSE =
      "update partition set paused_at = clock_timestamp(), paused_reason = :reason where id = :id";

  private static final String RESUME =
      "update partition set paused_at = null, paused_reason = null where id = :id";

  // What pauses a partition: it has no attempt or no time left and may not leave the line.
  private static final String EXHAUSTED =
      """
      from delivery d
      join subscription s on s.pk = d.subscription_pk
      where d.partition in (:id, ~:id)
        and d.first_attempt_at is not null
        and s.on_exhausted = 'PAUSE'
        and (d.attempts >= s.max_attempts
          or d.first_attempt_at <= clock_timestamp() - s.max_age_ms * interval '1 millisecond')
      """;

  // order by   As publishing locks lanes, so that neither waits for the other.
  // changed_tx, set below, tells the owner which heads to read again.
  private static final String LOCK_LANES =
      """
      select l.id
      from lane l
      where l.id = any (array(select d.lane_id %s))
      order by l.tenant collate "C", l.subscription_pk nulls first, l.key collate "C"
      for no key update
      """
          .formatted(EXHAUSTED);

  private static final String TOUCH_LANES =
      "update lane set changed_tx = pg_current_xact_id() where id = any (:lanes)";

  // lane_id   Of what has no lane as well, but of no lane that is not locked.
  private static final String NEW_START =
      """
      update delivery n
      set attempts = 0, first_attempt_at = null, next_attempt_at = null, own_wait_ms = null
      from (
        select d.partition, d.tx, d.id
        %s
        and (d.lane_id is null or d.lane_id = any (:lanes))
      ) x
      where n.partition = x.partition and n.tx = x.tx and n.id = x.id
      """
          .formatted(EXHAUSTED);

  private final Repairs repairs;
  private final JdbcClient jdbc;
  private final Audit audit;

  PartitionActions(Repairs repairs, JdbcClient jdbc, Audit audit) {
    this.repairs = repairs;
    this.jdbc = jdbc;
    this.audit = audit;
  }

  /** Nothing of it is sent until it is resumed; one that is paused already keeps its reason. */
  PartitionState pause(int id, String reason) {
    return repairs.run(
        () -> {
          boolean change = lock(id).pausedSince() == null;
          if (change) {
            jdbc.sql(PAUSE).param("id", id).param("reason", reason).update();
            audit.record(AuditAction.PAUSE_PARTITION, target(id), Map.of("reason", reason));
          }
          return new Repairs.Outcome<>(lock(id), change);
        });
  }

  /**
   * It goes on. Heads that may not leave the line and had used up their attempts or their time have
   * all of them again: else they would pause it at once.
   */
  PartitionState resume(int id) {
    return repairs.run(
        () -> {
          String reason = lock(id).pausedReason();
          if (reason != null) {
            jdbc.sql(RESUME).param("id", id).update();
            audit.record(
                AuditAction.RESUME_PARTITION,
                target(id),
                Map.of("reason", reason, "newStarts", newStarts(id)));
          }
          return new Repairs.Outcome<>(lock(id), reason != null);
        });
  }

  private int newStarts(int id) {
    SqlArrayValue lanes =
        Conditions.array(
            jdbc.sql(LOCK_LANES).param("id", id).query((row, number) -> row.getLong("id")).list());
    jdbc.sql(TOUCH_LANES).param("lanes", lanes).update();
    return jdbc.sql(NEW_START).param("id", id).param("lanes", lanes).update();
  }

  private PartitionState lock(int id) {
    return jdbc.sql(LOCK)
        .param("id", id)
        .query(
            (row, number) ->
                new PartitionState(
                    id,
                    PartitionLag.State.of(
                        row.getBoolean("owned"), row.getString("paused_reason") != null),
                    row.getString("paused_reason"),
                    Rows.instantOrNull(row, "paused_at")))
        .optional()
        .orElseThrow(() -> unknown(Integer.toString(id)));
  }

  static ProblemException unknown(String id) {
    return new ProblemException(
        ProblemType.NOT_FOUND, "There is no partition %s; they count from 0".formatted(id));
  }

  private static String target(int id) {
    return "partition/" + id;
  }
}
