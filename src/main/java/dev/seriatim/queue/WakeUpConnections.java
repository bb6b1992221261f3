package dev.seriatim.queue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Opens the wake-up listener's own connection, outside the pool and with time limits of its own.
 */
@FunctionalInterface
interface WakeUpConnections {

  /**
   * @throws SQLException when the database does not answer within seconds
   */
  Connection open() throws SQLException;

  /** Connections to the service's database. */
  static WakeUpConnections to(JdbcConnectionDetails details) {
    return () -> {
      Properties properties = new Properties();
      if (details.getUsername() != null) {
        properties.setProperty("user", details.getUsername());
      }
      if (details.getPassword() != null) {
        properties.setProperty("password", details.getPassword());
      }
      // A dead peer is noticed within seconds, not when TCP gives up.
      properties.setProperty("connectTimeout", "3");
      properties.setProperty("socketTimeout", "5");
      properties.setProperty("tcpKeepAlive", "true");
      properties.setProperty("ApplicationName", "seriatim-wake-ups");
      return DriverManager.getConnection(details.getJdbcUrl(), properties);
    };
  }
}
