package dev.seriatim.api;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

/** Tells the database being away, which passes, from a fault of ours, which does not. */
final class DatabaseOutage {

  /** Far more than any chain of causes that is not a loop. */
  private static final int MAX_CAUSES = 50;

  private DatabaseOutage() {}

  static boolean causes(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (isOutage(cause)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean isOutage(Throwable cause) {
    return switch (cause) {
      case DataAccessResourceFailureException _,
          TransientDataAccessException _,
          RecoverableDataAccessException _,
          CannotCreateTransactionException _,
          // A commit or rollback that did not get through; a failure before it is not its cause.
          TransactionSystemException _,
          SQLTransientException _,
          SQLRecoverableException _ ->
          true;
      case SQLException sql -> passes(sql.getSQLState());
      default -> false;
    };
  }

  /**
   * PostgreSQL's connection exceptions (class 08), its shutting down, crashing or starting (57P01
   * to 57P05), and too many connections (53300).
   */
  private static boolean passes(@Nullable String sqlState) {
    return sqlState != null
        && (sqlState.startsWith("08") || sqlState.startsWith("57P") || sqlState.equals("53300"));
  }
}
