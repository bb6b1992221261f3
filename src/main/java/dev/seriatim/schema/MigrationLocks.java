package dev.seriatim.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Has migrations wait a short while for each lock, because all who use the table queue behind them.
 * For the migration's transaction alone: behind a transaction pooler the session is somebody else's
 * afterwards. One without a transaction of its own (CREATE INDEX CONCURRENTLY) stands in nobody's
 * way and waits as long as it takes.
 */
final class MigrationLocks implements Callback {

  private final Duration atMost;

  MigrationLocks(Duration atMost) {
    this.atMost = atMost;
  }

  @Override
  public boolean supports(Event event, Context context) {
    return event == Event.BEFORE_EACH_MIGRATE;
  }

  @Override
  public boolean canHandleInTransaction(Event event, Context context) {
    return true;
  }

  @Override
  public void handle(Event event, Context context) {
    Connection connection = context.getConnection();
    try {
      if (!connection.getAutoCommit()) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("set local lock_timeout = " + atMost.toMillis());
        }
      }
    } catch (SQLException e) {
      throw new FlywayException("The time limit for locks cannot be set", e);
    }
  }

  @Override
  public String getCallbackName() {
    return "lock timeout";
  }
}
