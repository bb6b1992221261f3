package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens the lease thread's own connection, outside the pool and with time limits of its own. */
@FunctionalInterface
interface LeaseConnections {

  /**
   * @throws SQLException when the database does not answer within seconds
   */
  Connection open() throws SQLException;
}
