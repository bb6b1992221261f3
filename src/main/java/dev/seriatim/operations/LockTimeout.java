package dev.seriatim.operations;

import java.sql.SQLException;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Locks that are waited for a short while only, because others queue behind who waits. */
final class LockTimeout {

  /** Recording a verdict may take that much longer when a lock is in the way. */
  static final Duration SHORT = Duration.ofMillis(100);

  /** The SQLSTATE lock_not_available. */
  private static final String NOT_AVAILABLE = "55P03";

  private LockTimeout() {}

  /** For each lock that the current transaction waits for from here on. */
  static void set(JdbcClient jdbc, Duration atMost) {
    jdbc.sql("set local lock_timeout = " + atMost.toMillis()).update();
  }

  /** Whether this is what came of it. */
  static boolean ran(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && NOT_AVAILABLE.equals(sql.getSQLState())) {
        return true;
      }
    }
    return false;
  }
}
