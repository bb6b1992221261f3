package dev.seriatim.queue;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

/** Tells failures of the database as a whole from failures of one statement. */
final class Outage {

  private Outage() {}

  static boolean is(RuntimeException failure) {
    return failure instanceof DataAccessResourceFailureException
        || failure instanceof CannotGetJdbcConnectionException
        || failure instanceof CannotCreateTransactionException
        || failure instanceof TransactionSystemException
        || failure instanceof RecoverableDataAccessException
        || failure instanceof TransientDataAccessResourceException
        || failure instanceof QueryTimeoutException;
  }
}
