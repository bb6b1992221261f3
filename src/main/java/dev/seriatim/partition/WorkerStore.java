package dev.seriatim.partition;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The list of pods: who lives, who wants a share, and who has died. Never a proof of ownership; but
 * a pod that is taken off it for dead loses its partitions in the same statement. By the database's
 * clock, on the lease thread's connection.
 */
final class WorkerStore {

  private static final String HEARTBEAT =
      """
      insert into worker (id, lock, takeover_grace_ms, server_started_at, leaving)
      values (?, ?, ?, pg_postmaster_start_time(), ?)
      on conflict (id) do update
      set seen_at = clock_timestamp(), lock = excluded.lock, takeover_grace_ms = excluded.takeover_grace_ms,
          server_started_at = excluded.server_started_at, leaving = excluded.leaving
      """;

  private static final String FORGET =
      """
      delete from worker
      where id = ? or seen_at < clock_timestamp() - ? * interval '1 millisecond'
      """;

  private static final String LOOK =
      """
      select w.id,
        w.seen_at > clock_timestamp() - ? * interval '1 millisecond' and not w.leaving as live,
        w.lock,
        w.takeover_grace_ms,
        case
          -- after a restart or a failover of the server all locks are free, also those of living pods
          when w.id <> ? and w.lock is not null and w.server_started_at = pg_postmaster_start_time()
          then pg_try_advisory_xact_lock_shared(w.lock) -- shared, so that two who look do not mislead each other
          else false
        end as lock_free,
        (select count(*) from partition where lease_until is null or lease_until < clock_timestamp()) as unowned
      from worker w
      """;

  private static final String BURY =
      """
      with buried as (
        delete from worker
        where id = ?
          and lock = ? -- it has not come back with another one
        returning id
      )
      update partition p
      set owner = null, -- what it may still renew or give back finds nothing
          worker = null,
          acquired_at = null,
          lease_until = clock_timestamp() - ? * interval '1 millisecond'
      from buried
      where p.worker = buried.id
      """;

  /**
   * All pods and partitions as of one moment.
   *
   * @param unowned partitions without a lease that lasts
   */
  record Look(List<Worker> workers, int unowned) {

    /** Whether a pod is on the list with this lock. */
    boolean names(String worker, @Nullable Long lock) {
      return workers.stream()
          .anyMatch(one -> one.id().equals(worker) && Objects.equals(one.lock(), lock));
    }
  }

  /**
   * @param live heard of within the ttl, and not about to leave: it has a share
   * @param lock key of its {@link OwnerLock}; null without
   * @param takeoverGrace how long that lock must have been free before others act
   * @param lockFree nobody holds that lock, which says that its holder is gone
   */
  record Worker(
      String id, boolean live, @Nullable Long lock, Duration takeoverGrace, boolean lockFree) {}

  private final String worker;
  private final Duration ttl;
  private final Duration takeoverGrace;

  WorkerStore(String worker, LeaseSettings settings) {
    this.worker = worker;
    this.ttl = settings.ttl();
    this.takeoverGrace = settings.takeoverGrace();
  }

  /** This pod's name on the list. */
  String worker() {
    return worker;
  }

  /**
   * Says that this pod lives, and by which lock to see it.
   *
   * @param leaving it wants no share any more
   */
  void heartbeat(LeaseSession session, boolean leaving) throws SQLException {
    try (PreparedStatement statement = session.connection().prepareStatement(HEARTBEAT)) {
      statement.setString(1, worker);
      statement.setObject(2, session.lock(), Types.BIGINT);
      statement.setLong(3, takeoverGrace.toMillis());
      statement.setBoolean(4, leaving);
      statement.executeUpdate();
    }
  }

  /** Takes this pod and those not heard of for ten times the ttl off the list. */
  void forget(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FORGET)) {
      statement.setString(1, worker);
      statement.setLong(2, ttl.toMillis() * 10);
      statement.executeUpdate();
    }
  }

  Look look(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOOK)) {
      statement.setLong(1, ttl.toMillis());
      statement.setString(2, worker);
      try (ResultSet rows = statement.executeQuery()) {
        List<Worker> workers = new ArrayList<>();
        int unowned = 0;
        while (rows.next()) {
          workers.add(
              new Worker(
                  rows.getString("id"),
                  rows.getBoolean("live"),
                  rows.getObject("lock", Long.class),
                  Duration.ofMillis(rows.getLong("takeover_grace_ms")),
                  rows.getBoolean("lock_free")));
          unowned = rows.getInt("unowned");
        }
        return new Look(workers, unowned);
      }
    }
  }

  /**
   * Takes a dead pod off the list and frees its partitions, unless it has come back with another
   * lock.
   *
   * @param deadFor how long its lock has been free
   * @return how many partitions it had; none as well when it has come back
   */
  int bury(Connection connection, String dead, long lock, Duration deadFor) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(BURY)) {
      statement.setString(1, dead);
      statement.setLong(2, lock);
      statement.setLong(3, deadFor.toMillis());
      return statement.executeUpdate();
    }
  }
}
