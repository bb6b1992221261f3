package dev.seriatim.operations;

import dev.seriatim.subscription.Subscription;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads lanes out of the rows of {@link LaneQuery}. */
final class LaneRows {

  private LaneRows() {}

  static Lane lane(ResultSet row) throws SQLException {
    Lane.HeldBy heldBy = heldBy(row);
    return new Lane(
        row.getLong("id"),
        row.getString("tenant"),
        row.getString("lane_subscription"),
        row.getString("key"),
        Rows.intOrNull(row, "partition"),
        row.getString("paused_reason"),
        state(heldBy, row),
        heldBy,
        switch (heldBy) {
          case null -> null;
          case POLICY, OPERATOR -> row.getString("reason");
          case SUBSCRIPTION -> row.getString("disabled_reason");
        },
        Rows.instantOrNull(row, "held_at"),
        row.getLong("depth"),
        row.getObject("oldest_age", Double.class),
        row.getString("event") == null ? null : queued(row));
  }

  static Lane.Queued queued(ResultSet row) throws SQLException {
    return new Lane.Queued(
        row.getString("event"),
        row.getString("event_type"),
        row.getString("subscription"),
        row.getLong("sequence"),
        row.getInt("attempts"),
        row.getString("last_verdict"),
        Rows.instantOrNull(row, "first_attempt_at"),
        Rows.instantOrNull(row, "next_attempt_at"),
        Rows.instant(row, "enqueued_at"));
  }

  private static Lane.State state(Lane.@Nullable HeldBy heldBy, ResultSet row) throws SQLException {
    if (heldBy != null) {
      return Lane.State.HELD;
    }
    return row.getObject("first_attempt_at") == null ? Lane.State.ACTIVE : Lane.State.WAITING;
  }

  private static Lane.@Nullable HeldBy heldBy(ResultSet row) throws SQLException {
    String heldBy = row.getString("held_by");
    if (heldBy != null) {
      return Lane.HeldBy.valueOf(heldBy);
    }
    return Subscription.State.DISABLED.name().equals(row.getString("subscription_state"))
        ? Lane.HeldBy.SUBSCRIPTION
        : null;
  }
}
