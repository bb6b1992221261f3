package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections of this pod's own, outside the pool: for one thread each, kept for long, and
 * quick to notice a peer that is gone. Thread-safe.
 *
 * <p>This side notices within {@value #ANSWER_SECONDS} s; the server, and so everybody who looks at
 * what the session holds, not before {@value #SERVER_SECONDS} s. In that order: a pod that is cut
 * off must have stopped before others can know.
 */
public final class OwnConnections {

  private static final Logger log = LoggerFactory.getLogger(OwnConnections.class);

  private static final int CONNECT_SECONDS = 3;

  // Longer than a commit takes that waits for a busy disk.
  private static final int ANSWER_SECONDS = 5;
  private static final int SERVER_SECONDS = 11;

  // Limits that a role or a database may have for sessions that were forgotten must not end this
  // one, which waits on purpose. Each by itself: not every platform knows all of them.
  private static final List<String> SETTINGS =
      List.of(
          "set idle_session_timeout = 0",
          "set idle_in_transaction_session_timeout = 0",
          "set tcp_keepalives_idle = 5",
          "set tcp_keepalives_interval = 2",
          "set tcp_keepalives_count = 3",
          "set tcp_user_timeout = '" + SERVER_SECONDS + "s'");

  private static final String BACKEND = "select pg_backend_pid()";

  private final String url;
  private final @Nullable String username;
  private final @Nullable String password;

  public OwnConnections(String url, @Nullable String username, @Nullable String password) {
    this.url = url;
    this.username = username;
    this.password = password;
  }

  /**
   * @param purpose what the server lists the connections as, after {@code seriatim-}
   */
  public ConnectionSource as(String purpose) {
    return () -> open(purpose);
  }

  private Connection open(String purpose) throws SQLException {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    if (username != null) {
      source.setUser(username);
    }
    if (password != null) {
      source.setPassword(password);
    }
    // After the URL, whose own values may suit the pool but not this.
    source.setConnectTimeout(CONNECT_SECONDS);
    source.setSocketTimeout(ANSWER_SECONDS);
    source.setTcpKeepAlive(true);
    source.setApplicationName("seriatim-" + purpose);
    Connection connection = source.getConnection();
    try {
      if (!pooled(connection)) {
        configure(connection);
      }
      return connection;
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  /**
   * Whether a pooler or proxy stands between, so that the database's session is not this
   * connection: it makes up the number that a connection is told at its start, or hands the
   * connection from one server process to another. Blocks for a round trip.
   */
  public static boolean pooled(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(BACKEND)) {
      row.next();
      return row.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
    }
  }

  private static void configure(Connection connection) throws SQLException {
    for (String setting : SETTINGS) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(setting);
      } catch (SQLException e) {
        if (!connection.isValid(1)) {
          throw e;
        }
        // Without, the server only takes longer to notice, or ends a session that is then replaced.
        log.debug("A session does without \"{}\": {}", setting, e.toString());
      }
    }
  }
}
