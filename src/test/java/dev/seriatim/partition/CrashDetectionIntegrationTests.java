package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SettableClock;
import dev.seriatim.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Pods that die without a word, and pods that only seem to. Their connections are real ones. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashDetectionIntegrationTests {

  private static final int PARTITIONS = 16;
  private static final Duration GRACE = Duration.ofSeconds(3);
  private static final LeaseSettings SETTINGS =
      new LeaseSettings(
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          GRACE);

  private final TestDatabase database = TestDatabase.create();
  private final DataSource dataSource = database.dataSource();
  private final JdbcClient jdbc = JdbcClient.create(dataSource);
  private final SettableClock clock = new SettableClock();
  private final Random random = new Random(7);

  CrashDetectionIntegrationTests() {
    jdbc.sql("insert into partition (id) select generate_series(0, 15)").update();
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** One pod's lease thread, turned by hand. */
  private final class Pod {
    final RecordingOwnership ownership = new RecordingOwnership();
    final MeterRegistry meters = new SimpleMeterRegistry();
    final LeaseSessions sessions =
        new LeaseSessions(CrashDetectionIntegrationTests.this::connect, SETTINGS, random);
    final LeaseKeeper keeper;
    LeaseSession session;

    Pod(String name) throws SQLException {
      session = sessions.open();
      keeper =
          new LeaseKeeper(
              new LeaseStore(name, SETTINGS.ttl()),
              new WorkerStore(name, SETTINGS),
              SETTINGS,
              PARTITIONS,
              ownership,
              clock,
              new Random(1),
              new LeaseMeters(meters));
    }

    void turn() throws SQLException {
      keeper.renew(session);
      keeper.sweep(session);
    }

    /** As when its process dies; returns when the server has noticed. */
    void dies() throws SQLException {
      session.connection().close();
      org.awaitility.Awaitility.await().until(() -> free(session.lock()));
    }

    int size() {
      return ownership.size();
    }
  }

  @Test
  void deadPodsPartitionsAreFreeAfterTwoLooksAGraceApart() throws SQLException {
    Pod a = new Pod("a");
    Pod b = new Pod("b");
    evenly(a, b);
    a.dies();

    b.turn();
    assertThat(b.size()).as("one look is not enough").isEqualTo(8);
    assertThat(b.keeper.nextLook()).hasValue(clock.nanos() + GRACE.toNanos());
    clock.advance(GRACE.minusNanos(1));
    b.turn();
    assertThat(b.size()).isEqualTo(8);
    clock.advance(Duration.ofNanos(1));
    b.turn();

    assertThat(b.size()).isEqualTo(PARTITIONS);
    assertThat(jdbc.sql("select id from worker").query(String.class).list()).containsExactly("b");
    assertThat(b.keeper.nextLook()).isEmpty();
    assertThat(b.meters.counter("seriatim.lease.takeovers", "evidence", "lock").count())
        .isEqualTo(8);
    assertThat(b.meters.timer("seriatim.lease.handover").max(TimeUnit.SECONDS))
        .as("at least as long as the lock was seen free")
        .isGreaterThanOrEqualTo(3);
  }

  @Test
  void survivorsShareWhatADeadPodHad() throws SQLException {
    Pod a = new Pod("a");
    Pod b = new Pod("b");
    Pod c = new Pod("c");
    evenly(a, b, c);
    a.dies();

    b.turn();
    c.turn();
    clock.advance(GRACE);
    b.turn();
    c.turn();

    assertThat(b.size()).isEqualTo(8);
    assertThat(c.size()).isEqualTo(8);
  }

  @Test
  void podThatHasReplacedItsLostConnectionLives() throws SQLException {
    Pod a = new Pod("a");
    Pod b = new Pod("b");
    evenly(a, b);
    a.dies();
    b.turn();
    a.session = a.sessions.open();
    a.turn();

    clock.advance(GRACE.multipliedBy(2));
    b.turn();
    clock.advance(GRACE.multipliedBy(2));
    b.turn();

    assertThat(b.size()).isEqualTo(8);
    a.keeper.renew(a.session);
    assertThat(a.ownership.lost).isEmpty();
  }

  /** Between the second look and the burial the pod comes back. */
  @Test
  void podThatCameBackInTheMeantimeIsNotBuried() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    long former = a.session.lock();
    a.dies();
    a.session = a.sessions.open();
    a.keeper.renew(a.session);
    WorkerStore other = new WorkerStore("b", SETTINGS);

    try (Connection connection = dataSource.getConnection()) {
      assertThat(other.bury(connection, "a", former, GRACE)).isZero();
    }

    a.keeper.renew(a.session);
    assertThat(a.ownership.lost).isEmpty();
    assertThat(jdbc.sql("select count(*) from worker").query(Integer.class).single()).isOne();
  }

  /** After a restart all locks are free, and who has not been back yet may still be alive. */
  @Test
  void lockThatWasTakenBeforeTheServerStartedSaysNothing() throws SQLException {
    Pod a = new Pod("a");
    Pod b = new Pod("b");
    evenly(a, b);
    a.dies();
    jdbc.sql("update worker set server_started_at = server_started_at - interval '1 hour'")
        .update();

    b.turn();
    clock.advance(GRACE.multipliedBy(3));
    b.turn();

    assertThat(b.size()).isEqualTo(8);
    assertThat(b.keeper.nextLook()).isEmpty();
  }

  @Test
  void podWithoutALockIsNotTakenForDead() throws SQLException {
    Pod a = new Pod("a");
    Pod b = new Pod("b");
    a.session = new LeaseSession(a.session.connection(), null);
    evenly(a, b);

    b.turn();
    clock.advance(GRACE.multipliedBy(3));
    b.turn();

    assertThat(b.size()).isEqualTo(8);
    assertThat(b.keeper.nextLook()).isEmpty();
  }

  /** It was only cut off: what it does then under its former leases finds nothing. */
  @Test
  void buriedPodCanNeitherRenewNorGiveBackWhatItHad() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    Pod b = new Pod("b");
    b.keeper.renew(b.session);
    a.dies();
    b.turn();
    clock.advance(GRACE);
    b.turn();
    assertThat(b.size()).isEqualTo(PARTITIONS);

    a.session = a.sessions.open();
    a.keeper.releaseAll().join();
    a.keeper.giveBack(a.session);
    a.keeper.renew(a.session);

    b.keeper.renew(b.session);
    assertThat(b.ownership.lost).isEmpty();
    assertThat(b.size()).isEqualTo(PARTITIONS);
  }

  /** It was sent on a former session, and the network held it back. */
  @Test
  void heartbeatThatArrivesLateIsSetRightAtTheNextLook() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    LeaseSession former = a.session;
    a.session = a.sessions.open();
    a.turn();
    new WorkerStore("a", SETTINGS).heartbeat(former, false);
    former.connection().close();

    a.keeper.sweep(a.session);

    assertThat(jdbc.sql("select lock from worker").query(Long.class).single())
        .isEqualTo(a.session.lock());
    assertThat(a.ownership.lost).isEmpty();
  }

  @Test
  void podThatWasBuriedLearnsItAtItsNextLook() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    jdbc.sql("delete from worker").update();
    jdbc.sql("update partition set owner = null, worker = null, lease_until = null").update();

    a.keeper.sweep(a.session);

    assertThat(a.ownership.lost).hasSize(PARTITIONS);
    assertThat(jdbc.sql("select count(*) from worker").query(Integer.class).single()).isOne();
  }

  /** The answer to a claim was lost with the connection: nobody knows that owner. */
  @Test
  void partitionsThatAClaimTookUnheardAreFreedByTheNextSession() throws SQLException {
    Pod a = new Pod("a");
    a.turn();
    jdbc.sql("update partition set owner = gen_random_uuid(), epoch = epoch + 1 where id < 3")
        .update();
    a.session = a.sessions.open();

    a.keeper.resume(a.session);
    assertThat(a.ownership.lost).hasSize(3);
    a.keeper.sweep(a.session);

    assertThat(a.size()).isEqualTo(PARTITIONS);
    assertThat(a.ownership.owned.get(0).epoch()).isEqualTo(3);
    assertThat(a.ownership.owned.get(3).epoch()).isOne();
  }

  private static void evenly(Pod... pods) throws SQLException {
    for (int round = 0; round < 4; round++) {
      for (Pod pod : pods) {
        pod.turn();
      }
    }
    for (Pod pod : pods) {
      assertThat(pod.size()).isBetween(PARTITIONS / pods.length, PARTITIONS / pods.length + 1);
    }
  }

  private boolean free(long lock) {
    return jdbc.sql("select pg_try_advisory_xact_lock_shared(:lock)")
        .param("lock", lock)
        .query(Boolean.class)
        .single();
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(database.url(), database.username(), database.password());
  }
}
