package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seriatim.SettableClock;
import dev.seriatim.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/** {@link LeaseKeeper} and {@link LeaseStore}: several pods on one database. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeaseKeeperIntegrationTests {

  private static final int PARTITIONS = 16;
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration MARGIN = Duration.ofSeconds(2);
  private static final LeaseSettings SETTINGS =
      new LeaseSettings(
          TTL, Duration.ofSeconds(10), Duration.ofSeconds(1), MARGIN, Duration.ofSeconds(3));

  private final TestDatabase database = TestDatabase.create();
  private final DataSource dataSource = database.dataSource();
  private final JdbcClient jdbc = JdbcClient.create(dataSource);
  private final SettableClock clock = new SettableClock();
  private final List<Pod> pods = new ArrayList<>();

  LeaseKeeperIntegrationTests() {
    jdbc.sql("insert into partition (id) select generate_series(0, 15)").update();
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** One pod's lease thread, turned by hand. */
  private final class Pod {
    final RecordingOwnership ownership = new RecordingOwnership();
    final LeaseKeeper keeper;
    final Connection connection;
    final LeaseSession session;

    Pod(String name) throws SQLException {
      this.connection = dataSource.getConnection();
      this.session = new LeaseSession(connection, null);
      this.keeper =
          new LeaseKeeper(
              new LeaseStore(name, TTL),
              new WorkerStore(name, SETTINGS),
              SETTINGS,
              PARTITIONS,
              ownership,
              clock,
              new Random(1),
              new LeaseMeters(new SimpleMeterRegistry()));
      pods.add(this);
    }

    /** As the scheduler does: renew, then sweep. */
    void turn() throws SQLException {
      keeper.renew(session);
      keeper.sweep(session);
    }

    int size() {
      return ownership.size();
    }
  }

  @Test
  void lonePodClaimsAll() throws SQLException {
    Pod pod = new Pod("a");

    pod.turn();

    assertThat(pod.ownership.owned.keySet()).containsExactlyElementsOf(range());
    assertThat(pod.ownership.owned.values()).allMatch(lease -> lease.epoch() == 1);
    assertThat(pod.keeper.held()).hasSize(PARTITIONS);
    pod.turn();
    assertThat(pod.ownership.acquired).hasSize(PARTITIONS);
    assertThat(pod.ownership.releases).isEmpty();
  }

  /** Case W7. */
  @Test
  void newcomersGetEvenSharesAfterReleases() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    Pod b = new Pod("b");
    b.turn();
    assertThat(b.size()).as("nothing is free yet").isZero();

    turns(3);
    assertThat(pods).extracting(Pod::size).containsExactly(8, 8);
    assertEachOwnedOnce();

    Pod c = new Pod("c");
    c.turn();
    turns(3);
    assertThat(pods).extracting(Pod::size).containsExactly(6, 5, 5);
    assertEachOwnedOnce();
    int moves =
        a.ownership.acquired.size() + b.ownership.acquired.size() + c.ownership.acquired.size();
    assertThat(moves).as("no more moved than had to").isEqualTo(16 + 8 + 5);

    turns(5);
    assertThat(
            a.ownership.acquired.size() + b.ownership.acquired.size() + c.ownership.acquired.size())
        .isEqualTo(moves);
    assertThat(Stream.of(a, b, c).flatMap(pod -> pod.ownership.lost.stream())).isEmpty();
  }

  @Test
  void newcomerGetsNothingThatIsStillDraining() throws SQLException {
    Pod a = new Pod("a");
    a.ownership.drainsAtOnce = false;
    a.turn();
    Pod b = new Pod("b");
    b.turn();
    turns(3);
    assertThat(a.ownership.releases).as("asked once, not at every sweep").hasSize(8);
    assertThat(b.size()).isZero();
    assertThat(a.keeper.held()).as("renewed until drained").hasSize(PARTITIONS);

    PartitionLease drained = a.ownership.releases.keySet().iterator().next();
    a.ownership.drained(drained);
    turns(2);

    assertThat(b.ownership.owned.keySet()).containsExactly(drained.partition());
    assertThat(b.ownership.owned.get(drained.partition()).epoch()).isEqualTo(2);
    assertThat(a.ownership.releases).hasSize(8);
  }

  /** It may take long to drain; what it has given back must not wait for the rest. */
  @Test
  void podThatLeavesHasNoShareAnyMore() throws SQLException {
    Pod a = new Pod("a");
    Pod b = new Pod("b");
    turns(4);
    assertThat(pods).extracting(Pod::size).containsExactly(8, 8);
    a.ownership.drainsAtOnce = false;
    assertThat(a.keeper.releaseAll()).isNotDone();
    a.keeper.renew(a.session);
    List<PartitionLease> draining = List.copyOf(a.keeper.held());

    draining.subList(1, 8).forEach(a.ownership::drained);
    a.keeper.giveBack(a.session);
    b.turn();

    assertThat(b.size()).isEqualTo(PARTITIONS - 1);
    assertThat(a.keeper.held()).containsExactly(draining.getFirst());
    a.keeper.renew(a.session);
    assertThat(a.ownership.lost).as("still this pod's until it is drained").isEmpty();
  }

  @Test
  void epochGrowsByOneWithEachAcquisition() throws SQLException {
    for (int round = 1; round <= 3; round++) {
      Pod pod = new Pod("pod-" + round);
      pod.turn();
      int epoch = round;
      assertThat(pod.ownership.owned.values())
          .hasSize(PARTITIONS)
          .allMatch(lease -> lease.epoch() == epoch);
      assertThat(pod.ownership.owned.values().stream().map(PartitionLease::owner).distinct())
          .as("an owner token of its own for each")
          .hasSize(PARTITIONS);
      pod.keeper.releaseAll().join();
      pod.keeper.giveBack(pod.session);
      pod.keeper.leave(pod.session);
      assertThat(pod.keeper.held()).isEmpty();
      assertThat(free()).isEqualTo(PARTITIONS);
    }
  }

  /** Many pods sweep at the same time. */
  @Test
  void noPartitionIsClaimedTwice() throws SQLException {
    for (int i = 0; i < 6; i++) {
      new Pod("pod-" + i);
    }
    List<CompletableFuture<Void>> all = pods.stream().map(pod -> turning(pod, 20)).toList();
    all.forEach(CompletableFuture::join);
    turns(3);

    assertEachOwnedOnce();
    assertThat(pods).extracting(Pod::size).allMatch(size -> size == 2 || size == 3);
    assertThat(pods.stream().flatMap(pod -> pod.ownership.lost.stream()))
        .as("taken from under its owner")
        .isEmpty();
    List<String> epochs = new ArrayList<>();
    pods.forEach(pod -> pod.ownership.acquired.forEach(lease -> epochs.add(lease.toString())));
    assertThat(epochs).as("each epoch of a partition has one owner").doesNotHaveDuplicates();
  }

  /** A claim that has not committed yet: another one neither waits for it nor takes from it. */
  @Test
  void partitionsThatAreBeingClaimedAreSkipped() throws SQLException {
    Pod a = new Pod("a");
    a.connection.setAutoCommit(false);
    a.turn();
    Pod b = new Pod("b");
    CompletableFuture<Void> claim = turning(b, 1);
    await().atMost(Duration.ofSeconds(30)).until(() -> claim.isDone() || blocked() > 0);

    a.connection.commit();
    a.connection.setAutoCommit(true);
    claim.join();

    assertThat(b.size()).isZero();
    a.keeper.renew(a.session);
    assertThat(a.ownership.lost).isEmpty();
    assertEachOwnedOnce();
  }

  /** A settle holds a key lock on the row while it writes: a claim does not wait for it. */
  @Test
  void partitionThatIsBeingSettledIsSkipped() throws SQLException {
    Pod pod = new Pod("a");
    try (Connection settling = dataSource.getConnection()) {
      settling.setAutoCommit(false);
      settling.createStatement().execute("select from partition where id in (3, 5) for key share");

      pod.turn();
      assertThat(pod.ownership.owned.keySet()).hasSize(PARTITIONS - 2).doesNotContain(3, 5);
      pod.turn();
      assertThat(pod.size()).isEqualTo(PARTITIONS - 2);

      settling.commit();
      settling.setAutoCommit(true);
    }
    pod.turn();
    assertThat(pod.size()).isEqualTo(PARTITIONS);
  }

  /** Case W3. */
  @Test
  void renewalThatMatchesNothingMeansLost() throws SQLException {
    Pod pod = new Pod("a");
    pod.turn();
    jdbc.sql("update partition set epoch = epoch + 1 where id = 3").update();
    jdbc.sql("update partition set owner = gen_random_uuid() where id = 4").update();
    jdbc.sql("update partition set owner = null, lease_until = null where id = 5").update();

    pod.keeper.renew(pod.session);

    assertThat(pod.ownership.lost)
        .extracting(PartitionLease::partition)
        .containsExactlyInAnyOrder(3, 4, 5);
    assertThat(pod.keeper.held()).hasSize(PARTITIONS - 3);
  }

  @Test
  void expiredLeaseIsAnothersAndTheFirstOwnerIsTold() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    List<PartitionLease> former = List.copyOf(a.ownership.acquired);
    expireAll();
    jdbc.sql("delete from worker").update(); // it has not been heard of either

    Pod b = new Pod("b");
    b.turn();

    assertThat(b.size()).isEqualTo(PARTITIONS);
    assertThat(a.ownership.lost).isEmpty();
    a.keeper.renew(a.session);
    assertThat(a.ownership.lost).containsExactlyInAnyOrderElementsOf(former);
    assertThat(a.keeper.held()).isEmpty();
    assertEachOwnedOnce();
  }

  @Test
  void renewalInTimeKeepsTheLease() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    Pod b = new Pod("b");
    b.keeper.renew(b.session);
    expireAll();

    a.keeper.renew(a.session); // late, but nobody has taken anything
    b.keeper.sweep(b.session);

    assertThat(b.size()).isZero();
    assertThat(a.ownership.lost).isEmpty();
    assertThat(free()).isZero();
  }

  @Test
  void podThatWinsItsOwnExpiredLeaseAgainStopsTheFormerDrainer() throws SQLException {
    Pod pod = new Pod("a");
    pod.turn();
    PartitionLease former = pod.ownership.owned.get(7);
    Pod b = new Pod("b");
    b.turn();
    pod.ownership.drainsAtOnce = false;
    pod.keeper.sweep(pod.session); // now half of them are being released
    jdbc.sql("delete from worker where id = 'b'").update();
    expireAll();

    pod.keeper.sweep(pod.session);

    assertThat(pod.ownership.lost).hasSize(8);
    assertThat(pod.ownership.owned.values().stream().map(PartitionLease::partition))
        .containsExactlyElementsOf(range());
    assertThat(pod.ownership.owned.values().stream().filter(lease -> lease.epoch() == 2))
        .hasSize(8);
    assertThat(pod.ownership.lost).allMatch(lease -> lease.epoch() == 1);
    // The former drainers end; that must not give the new leases away.
    pod.ownership.releases.values().forEach(release -> release.complete(null));
    pod.keeper.giveBack(pod.session);
    pod.keeper.renew(pod.session);
    assertThat(former.epoch()).isOne();
  }

  @Test
  void staleOwnerCannotFreeWhatIsAnothersNow() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    expireAll();
    jdbc.sql("delete from worker").update();
    Pod b = new Pod("b");
    b.turn();

    a.keeper.releaseAll().join();
    a.keeper.giveBack(a.session);

    assertThat(free()).isZero();
    b.keeper.renew(b.session);
    assertThat(b.ownership.lost).isEmpty();
    assertThat(b.size()).isEqualTo(PARTITIONS);
  }

  /** As after a restore of an older state: the same epoch again, in other hands. */
  @Test
  void leaseWithTheSameEpochButAnotherOwnerIsAnothers() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    jdbc.sql("update partition set epoch = epoch - 1, owner = null, lease_until = null").update();
    jdbc.sql("delete from worker").update();
    Pod b = new Pod("b");
    b.turn();
    assertThat(b.ownership.owned.values()).allMatch(lease -> lease.epoch() == 1);

    a.keeper.renew(a.session);

    assertThat(a.ownership.lost).hasSize(PARTITIONS);
    b.keeper.renew(b.session);
    assertThat(b.ownership.lost).isEmpty();
  }

  @Test
  void trustCountsFromBeforeTheRequestAndRenewalExtendsIt() throws SQLException {
    Pod pod = new Pod("a");
    LeaseSession slow = new LeaseSession(slow(pod.connection, Duration.ofSeconds(1)), null);

    pod.keeper.renew(slow);
    pod.keeper.sweep(
        slow); // looks for workers, claims: two requests, the claim's own takes a second
    PartitionLease lease = pod.ownership.owned.get(0);
    assertTrusted(lease, TTL.minus(MARGIN).minusSeconds(1));

    clock.advance(Duration.ofSeconds(10));
    assertTrusted(lease, TTL.minus(MARGIN).minusSeconds(11));
    pod.keeper.renew(slow);
    assertTrusted(lease, TTL.minus(MARGIN).minusSeconds(1));

    clock.advance(TTL);
    assertThat(lease.outlives(Duration.ZERO)).isFalse();
  }

  @Test
  void failedRenewalExtendsNothingAndLosesNothing() throws SQLException {
    Pod pod = new Pod("a");
    pod.turn();
    clock.advance(Duration.ofSeconds(10));

    try (Connection broken = dataSource.getConnection()) {
      broken.close();
      assertThatThrownBy(() -> pod.keeper.renew(new LeaseSession(broken, null)))
          .isInstanceOf(SQLException.class);
    }

    assertTrusted(pod.ownership.owned.get(0), TTL.minus(MARGIN).minusSeconds(10));
    assertThat(pod.ownership.lost).isEmpty();
    assertThat(pod.keeper.held()).hasSize(PARTITIONS);
  }

  @Test
  void whatCouldNotBeGivenBackIsGivenBackLater() throws SQLException {
    Pod pod = new Pod("a");
    pod.turn();
    pod.keeper.releaseAll().join();
    try (Connection broken = dataSource.getConnection()) {
      broken.close();
      assertThatThrownBy(() -> pod.keeper.giveBack(new LeaseSession(broken, null)))
          .isInstanceOf(SQLException.class);
    }
    assertThat(free()).isZero();

    pod.keeper.giveBack(pod.session);

    assertThat(free()).isEqualTo(PARTITIONS);
    assertThat(pod.keeper.held()).isEmpty();
  }

  @Test
  void abandonedPartitionsAreLostAndFreeWhenTheirLeasesRunOut() throws SQLException {
    Pod pod = new Pod("a");
    pod.ownership.drainsAtOnce = false;
    pod.turn();
    assertThat(pod.keeper.releaseAll()).isNotDone();

    pod.keeper.abandon();

    assertThat(pod.ownership.lost).hasSize(PARTITIONS);
    assertThat(pod.keeper.held()).isEmpty();
    assertThat(free()).isZero();
  }

  @Test
  void podsNotHeardOfForALeaseTimeCountNoMore() throws SQLException {
    new Pod("gone").turn();
    jdbc.sql("update worker set seen_at = seen_at - interval '31 seconds'").update();
    expireAll();

    Pod pod = new Pod("a");
    pod.turn();

    assertThat(pod.size()).isEqualTo(PARTITIONS);
    jdbc.sql("update worker set seen_at = seen_at - interval '301 seconds' where id = 'gone'")
        .update();
    pod.keeper.leave(pod.session);
    assertThat(jdbc.sql("select count(*) from worker").query(Long.class).single()).isZero();
  }

  /** Turns a pod on a thread of its own. */
  private static CompletableFuture<Void> turning(Pod pod, int times) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            for (int i = 0; i < times; i++) {
              pod.turn();
            }
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        },
        task -> Thread.ofVirtual().start(task));
  }

  private long blocked() {
    return jdbc.sql(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
        .query(Long.class)
        .single();
  }

  private void turns(int times) throws SQLException {
    for (int i = 0; i < times; i++) {
      for (Pod pod : pods) {
        pod.turn();
      }
    }
  }

  private void assertEachOwnedOnce() {
    List<Integer> all = new ArrayList<>();
    pods.forEach(pod -> all.addAll(pod.ownership.owned.keySet()));
    assertThat(all).doesNotHaveDuplicates();
    assertThat(new TreeSet<>(all)).containsExactlyElementsOf(range());
  }

  private static void assertTrusted(PartitionLease lease, Duration left) {
    assertThat(lease.outlives(left.minusNanos(1))).isTrue();
    assertThat(lease.outlives(left)).isFalse();
  }

  private void expireAll() {
    jdbc.sql("update partition set lease_until = clock_timestamp() - interval '1 second'").update();
  }

  private long free() {
    return jdbc.sql("select count(*) from partition where owner is null")
        .query(Long.class)
        .single();
  }

  private static List<Integer> range() {
    return IntStream.range(0, PARTITIONS).boxed().toList();
  }

  /** A connection on which each statement takes so long. */
  private Connection slow(Connection connection, Duration each) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                clock.advance(each);
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
