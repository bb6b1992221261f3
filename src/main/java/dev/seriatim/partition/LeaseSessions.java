package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the lease thread's sessions, each with its {@link OwnerLock} where that can be relied on:
 * looked into once, with the first session. Lease thread only.
 */
final class LeaseSessions {

  private static final Logger log = LoggerFactory.getLogger(LeaseSessions.class);

  private final ConnectionSource connections;
  private final LeaseSettings settings;
  private final RandomGenerator random;
  private @Nullable Boolean locks;

  LeaseSessions(ConnectionSource connections, LeaseSettings settings, RandomGenerator random) {
    this.connections = connections;
    this.settings = settings;
    this.random = random;
  }

  LeaseSession open() throws SQLException {
    boolean locked = locks();
    Connection connection = connections.open();
    try {
      return new LeaseSession(
          connection, locked ? OwnerLock.take(connection, random).orElse(null) : null);
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  private boolean locks() throws SQLException {
    Boolean known = locks;
    if (known == null) {
      known = probe();
      locks = known;
    }
    return known;
  }

  private boolean probe() throws SQLException {
    Duration ttl = settings.ttl();
    if (settings.takeoverGrace().isZero()) {
      log.info("Partitions of a crashed pod are taken over after seriatim.lease.ttl ({})", ttl);
      return false;
    }
    return OwnerLock.obstacle(connections, random)
        .map(
            obstacle -> {
              log.info(
                  "Partitions of a crashed pod are taken over after seriatim.lease.ttl ({}) only, because {}",
                  ttl,
                  obstacle);
              return false;
            })
        .orElse(true);
  }
}
