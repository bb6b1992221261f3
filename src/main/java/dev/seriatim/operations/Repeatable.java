package dev.seriatim.operations;

import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/** Transactions of operators, which begin anew after a deadlock with another. Thread-safe. */
@Component
class Repeatable {

  private static final Logger log = LoggerFactory.getLogger(Repeatable.class);
  private static final int TRIES = 3;

  private final TransactionOperations transaction;

  Repeatable(TransactionOperations transaction) {
    this.transaction = transaction;
  }

  /**
   * @param work may run more than once; what it changed in the database is undone in between
   */
  <T> T execute(Supplier<T> work) {
    for (int tries = 1; ; tries++) {
      try {
        return transaction.execute(status -> work.get());
      } catch (PessimisticLockingFailureException deadlock) {
        if (tries == TRIES) {
          throw deadlock;
        }
        log.debug("Once more after a deadlock", deadlock);
      }
    }
  }
}
