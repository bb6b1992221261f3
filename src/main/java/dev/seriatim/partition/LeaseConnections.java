package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections outside the pool, for one thread each and with time limits of their own. */
@FunctionalInterface
interface LeaseConnections {

  /**
   * @throws SQLException when the database does not answer within seconds
   */
  Connection open() throws SQLException;
}
