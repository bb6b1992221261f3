package dev.seriatim.partition;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The lease rows. Every decision is made by the database and its clock, in one statement each; the
 * statements run on the connection they are given, which belongs to the lease thread.
 */
final class LeaseStore {

  private static final String HEARTBEAT =
      """
      insert into worker (id, lock, takeover_grace_ms, server_started_at, leaving)
      values (?, ?, ?, pg_postmaster_start_time(), ?)
      on conflict (id) do update
      set seen_at = clock_timestamp(), lock = excluded.lock, takeover_grace_ms = excluded.takeover_grace_ms,
          server_started_at = excluded.server_started_at, leaving = excluded.leaving
      """;

  private static final String FORGET_WORKERS =
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

  private static final String FREE_STRAYS =
      """
      update partition
      set owner = null, worker = null, acquired_at = null, lease_until = clock_timestamp()
      where worker = ?
        and owner <> all (?::uuid[]) -- nobody knows this owner: the answer to the claim was lost
      """;

  private static final String CLAIM =
      """
      update partition p
      set epoch = p.epoch + 1,
          owner = gen_random_uuid(), -- fresh for each acquisition, so that no two can be mistaken for each other
          worker = ?,
          acquired_at = clock_timestamp(),
          renewed_at = clock_timestamp(),
          lease_until = clock_timestamp() + ? * interval '1 millisecond'
      from (
        select id, worker, lease_until from partition
        where lease_until is null or lease_until < clock_timestamp() -- free or expired, by the database's clock
        order by random()                                            -- pods that look at once collide less
        limit ?
        for update skip locked                                       -- two pods never take the same row; a settle
                                                                     -- that holds the row's key finishes first
      ) free
      where p.id = free.id
      returning p.id, p.epoch, p.owner, free.worker is not null as expired,
        extract(epoch from clock_timestamp() - free.lease_until) as unowned_for
      """;

  private static final String RENEW =
      """
      update partition p
      set lease_until = clock_timestamp() + ? * interval '1 millisecond',
          renewed_at = clock_timestamp()
      from unnest(?::integer[], ?::bigint[], ?::uuid[]) as mine (id, epoch, owner)
      where p.id = mine.id
        and p.epoch = mine.epoch -- not acquired by anybody since
        and p.owner = mine.owner -- and acquired by this very acquisition
      returning p.id
      """;

  private static final String RELEASE =
      """
      update partition p
      set owner = null, worker = null, acquired_at = null,
          lease_until = clock_timestamp() -- so that the next owner knows how long nobody drained
      from unnest(?::integer[], ?::bigint[], ?::uuid[]) as mine (id, epoch, owner)
      where p.id = mine.id
        and p.epoch = mine.epoch -- a former owner cannot free what is another's now
        and p.owner = mine.owner
      """;

  /**
   * What a claim got.
   *
   * @param expired the former owner did not give it back: its lease ran out
   * @param unownedFor since the former lease; null for a partition that never had an owner
   */
  record Claimed(
      int partition, long epoch, UUID owner, boolean expired, @Nullable Duration unownedFor) {}

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

  LeaseStore(String worker, LeaseSettings settings) {
    this.worker = worker;
    this.ttl = settings.ttl();
    this.takeoverGrace = settings.takeoverGrace();
  }

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
  void forgetWorkers(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FORGET_WORKERS)) {
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

  /**
   * Takes up to this many free or expired partitions; fewer, or none, is an answer like any other.
   */
  List<Claimed> claim(Connection connection, int atMost) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
      statement.setString(1, worker);
      statement.setLong(2, ttl.toMillis());
      statement.setInt(3, atMost);
      try (ResultSet rows = statement.executeQuery()) {
        List<Claimed> claimed = new ArrayList<>();
        while (rows.next()) {
          claimed.add(claimed(rows));
        }
        return claimed;
      }
    }
  }

  /**
   * @return the partitions that are still this pod's, for another ttl; the others are lost
   */
  Set<Integer> renew(Connection connection, Collection<PartitionLease> leases) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RENEW)) {
      statement.setLong(1, ttl.toMillis());
      setLeases(connection, statement, 2, leases);
      try (ResultSet rows = statement.executeQuery()) {
        Set<Integer> renewed = new HashSet<>();
        while (rows.next()) {
          renewed.add(rows.getInt(1));
        }
        return renewed;
      }
    }
  }

  /** Frees what is this pod's by name, but by none of the leases that it knows of. */
  void freeStrays(Connection connection, Collection<PartitionLease> known) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FREE_STRAYS)) {
      statement.setString(1, worker);
      statement.setArray(2, owners(connection, known));
      statement.executeUpdate();
    }
  }

  /** Gives partitions back. One that is another's by now is left alone. */
  void release(Connection connection, Collection<PartitionLease> leases) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RELEASE)) {
      setLeases(connection, statement, 1, leases);
      statement.executeUpdate();
    }
  }

  private static Claimed claimed(ResultSet row) throws SQLException {
    double seconds = row.getDouble("unowned_for");
    Duration unownedFor = row.wasNull() ? null : Duration.ofMillis((long) (seconds * 1000));
    return new Claimed(
        row.getInt("id"),
        row.getLong("epoch"),
        row.getObject("owner", UUID.class),
        row.getBoolean("expired"),
        unownedFor);
  }

  private static void setLeases(
      Connection connection,
      PreparedStatement statement,
      int first,
      Collection<PartitionLease> leases)
      throws SQLException {
    Array partitions =
        connection.createArrayOf(
            "integer", leases.stream().map(PartitionLease::partition).toArray());
    Array epochs =
        connection.createArrayOf("bigint", leases.stream().map(PartitionLease::epoch).toArray());
    statement.setArray(first, partitions);
    statement.setArray(first + 1, epochs);
    statement.setArray(first + 2, owners(connection, leases));
  }

  private static Array owners(Connection connection, Collection<PartitionLease> leases)
      throws SQLException {
    return connection.createArrayOf("uuid", leases.stream().map(PartitionLease::owner).toArray());
  }
}
