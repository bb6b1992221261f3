package dev.seriatim.queue;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Has the database end a transaction that it hears nothing of. A publish holds the rows of its
 * lanes and the ids of its events until it commits; of a pod that is paused or cut off in between,
 * the database would wait for hours, and every other pod that publishes for one of those lanes with
 * it. Thread-safe.
 *
 * <p>For each transaction, not for the session: a migration may hold its lock in one that is idle.
 */
@Component
class TransactionPatience implements TransactionExecutionListener {

  /**
   * Between two statements of a transaction lies next to nothing, a long pause of the JVM apart.
   */
  private static final String LIMIT = "set local idle_in_transaction_session_timeout = '5s'";

  private final JdbcOperations jdbc;

  TransactionPatience(JdbcOperations jdbc) {
    this.jdbc = jdbc;
  }

  @Override
  public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
    if (failure == null) {
      jdbc.execute(LIMIT);
    }
  }
}
