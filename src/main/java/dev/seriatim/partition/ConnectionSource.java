package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections outside the pool, for one thread each and with time limits of their own. */
@FunctionalInterface
public interface ConnectionSource {

  /**
   * Blocks for seconds at most.
   *
   * @throws SQLException when the database does not answer in time
   */
  Connection open() throws SQLException;
}
