package dev.seriatim.partition;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The lease rows. Every decision is made by the database and its clock, in one statement each; the
 * statements run on the connection they are given, which belongs to the lease thread.
 */
final class LeaseStore {

  private static final String HEARTBEAT =
      """
      insert into worker (id) values (?)
      on conflict (id) do update set seen_at = clock_timestamp()
      """;

  private static final String FORGET_WORKERS =
      """
      delete from worker
      where id = ? or seen_at < clock_timestamp() - ? * interval '1 millisecond'
      """;

  private static final String LIVE_WORKERS =
      """
      select id from worker
      where seen_at > clock_timestamp() - ? * interval '1 millisecond'
      """;

  private static final String CLAIM =
      """
      update partition p
      set epoch = p.epoch + 1,
          owner = gen_random_uuid(), -- fresh for each acquisition, so that no two can be mistaken for each other
          worker = ?,
          acquired_at = clock_timestamp(),
          lease_until = clock_timestamp() + ? * interval '1 millisecond'
      from (
        select id from partition
        where lease_until is null or lease_until < clock_timestamp() -- free or expired, by the database's clock
        order by random()                                            -- pods that look at once collide less
        limit ?
        for update skip locked                                       -- two pods never take the same row; a settle
                                                                     -- that holds the row's key finishes first
      ) free
      where p.id = free.id
      returning p.id, p.epoch, p.owner
      """;

  private static final String RENEW =
      """
      update partition p
      set lease_until = clock_timestamp() + ? * interval '1 millisecond'
      from unnest(?::integer[], ?::bigint[], ?::uuid[]) as mine (id, epoch, owner)
      where p.id = mine.id
        and p.epoch = mine.epoch -- not acquired by anybody since
        and p.owner = mine.owner -- and acquired by this very acquisition
      returning p.id
      """;

  private static final String RELEASE =
      """
      update partition p
      set owner = null, worker = null, acquired_at = null, lease_until = null
      from unnest(?::integer[], ?::bigint[], ?::uuid[]) as mine (id, epoch, owner)
      where p.id = mine.id
        and p.epoch = mine.epoch -- a former owner cannot free what is another's now
        and p.owner = mine.owner
      """;

  /** What a claim got. */
  record Claimed(int partition, long epoch, UUID owner) {}

  private final String worker;
  private final Duration ttl;

  LeaseStore(String worker, Duration ttl) {
    this.worker = worker;
    this.ttl = ttl;
  }

  /** Says that this pod lives. */
  void heartbeat(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HEARTBEAT)) {
      statement.setString(1, worker);
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

  /** Pods that were heard of within the ttl. */
  List<String> liveWorkers(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LIVE_WORKERS)) {
      statement.setLong(1, ttl.toMillis());
      try (ResultSet rows = statement.executeQuery()) {
        List<String> workers = new ArrayList<>();
        while (rows.next()) {
          workers.add(rows.getString(1));
        }
        return workers;
      }
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
          claimed.add(new Claimed(rows.getInt(1), rows.getLong(2), rows.getObject(3, UUID.class)));
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

  /** Gives partitions back. One that is another's by now is left alone. */
  void release(Connection connection, Collection<PartitionLease> leases) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RELEASE)) {
      setLeases(connection, statement, 1, leases);
      statement.executeUpdate();
    }
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
    Array owners =
        connection.createArrayOf("uuid", leases.stream().map(PartitionLease::owner).toArray());
    statement.setArray(first, partitions);
    statement.setArray(first + 1, epochs);
    statement.setArray(first + 2, owners);
  }
}
