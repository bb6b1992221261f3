package dev.seriatim.queue;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions that the database ends when it hears nothing of them. A publish holds the rows of
 * its lanes and the ids of its events until it commits; of a pod that is paused or cut off in
 * between, the database would wait for hours, and every other pod that publishes for one of those
 * lanes with it. Takes the place of Spring Boot's own template. Thread-safe.
 *
 * <p>For each transaction, not for the session: a migration may hold its lock in one that is idle.
 */
@Component
class TransactionPatience extends TransactionTemplate {

  /**
   * Between two statements of a transaction lies next to nothing, a long pause of the JVM apart.
   */
  private static final String LIMIT = "set local idle_in_transaction_session_timeout = '5s'";

  private final JdbcOperations jdbc;

  TransactionPatience(PlatformTransactionManager manager, JdbcOperations jdbc) {
    super(manager);
    this.jdbc = jdbc;
  }

  @Override
  public <T extends @Nullable Object> T execute(TransactionCallback<T> action) {
    return super.execute(
        status -> {
          // Within the transaction, so that a failure ends it like any other.
          jdbc.execute(LIMIT);
          return action.doInTransaction(status);
        });
  }
}
