package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeaseSchedulerIntegrationTests {

  private static final Duration LONG = Duration.ofSeconds(60);

  private final TestDatabase database = TestDatabase.create();
  private final DataSource dataSource = database.dataSource();
  private final JdbcClient jdbc = JdbcClient.create(dataSource);
  private final RecordingOwnership ownership = new RecordingOwnership();
  private final List<Connection> opened = new CopyOnWriteArrayList<>();
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private Duration renewEvery = Duration.ofMillis(100);
  private volatile boolean down;

  LeaseSchedulerIntegrationTests() {
    jdbc.sql("insert into partition (id) select generate_series(0, 15)").update();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void startClaimsAndStopGivesAllBack() {
    LeaseScheduler scheduler = scheduler(LONG);
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);
    assertThat(scheduler.isRunning()).isTrue();
    assertThat(count("worker")).isOne();

    scheduler.stop();

    assertThat(scheduler.isRunning()).isFalse();
    assertThat(count("partition where lease_until <= clock_timestamp() and owner is null"))
        .isEqualTo(16);
    assertThat(count("worker")).isZero();
    assertThat(ownership.lost).isEmpty();
    assertThat(opened).allMatch(LeaseSchedulerIntegrationTests::closed);
    scheduler.stop();
  }

  @Test
  void stopWaitsForWhatIsUnderWay() {
    ownership.drainsAtOnce = false;
    LeaseScheduler scheduler = scheduler(LONG);
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);
    CompletableFuture<Void> stop =
        CompletableFuture.runAsync(scheduler::stop, task -> Thread.ofVirtual().start(task));
    await().atMost(LONG).until(() -> ownership.releases().size() == 16);
    List<PartitionLease> leases = ownership.releases();

    leases.subList(1, 16).forEach(ownership::drained);
    await().atMost(LONG).until(() -> count("partition where owner is null") == 15);
    assertThat(stop).isNotDone();
    ownership.drained(leases.getFirst());

    stop.join();
    assertThat(count("partition where owner is null")).isEqualTo(16);
    assertThat(ownership.lost).isEmpty();
  }

  @Test
  void stopThatTakesTooLongAbortsTheRest() {
    ownership.drainsAtOnce = false;
    LeaseScheduler scheduler = scheduler(Duration.ofMillis(100));
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);

    scheduler.stop();

    assertThat(ownership.lost).hasSize(16);
    assertThat(count("partition where owner is null"))
        .as("free when their leases run out, not while a send may be under way")
        .isZero();
    assertThat(count("worker")).isZero();
  }

  @Test
  void outageIsSurvivedOnANewConnection() {
    LeaseScheduler scheduler = scheduler(LONG);
    down = true;
    scheduler.start();
    down = false;
    await().atMost(LONG).until(() -> ownership.size() == 16);

    endSessions();
    jdbc.sql("update partition set lease_until = clock_timestamp()").update();
    await()
        .atMost(LONG)
        .until(() -> count("partition where lease_until > clock_timestamp()") == 16);
    scheduler.stop();
    assertThat(opened).hasSizeGreaterThanOrEqualTo(2);
    assertThat(opened).allMatch(LeaseSchedulerIntegrationTests::closed);
  }

  /** Case W6. */
  @Test
  void sessionThatTheServerEndsIsReplacedBeforeAnythingIsBrokenOff() {
    LeaseScheduler scheduler = scheduler(Duration.ofSeconds(25), LONG);
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);
    long lock = lock();

    endSessions();

    await().atMost(LONG).until(() -> lock() != lock && held(lock()));
    assertThat(held(lock)).isFalse();
    assertThat(ownership.suspensions).hasValue(0);
    assertThat(ownership.lost).isEmpty();
    assertThat(ownership.acquired).hasSize(16).allMatch(PartitionLease::trusted);
    scheduler.stop();
  }

  @Test
  void requestsAreBrokenOffWhenALostSessionIsNotReplacedInTimeAndGoOnAfterwards() {
    LeaseScheduler scheduler = scheduler(Duration.ofMillis(300), LONG);
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);
    await().atMost(LONG).until(() -> ownership.acquired.getFirst().trusted());

    down = true;
    endSessions();

    await().atMost(LONG).until(() -> ownership.suspensions.get() == 1);
    assertThat(ownership.acquired).noneMatch(PartitionLease::trusted);
    assertThat(ownership.lost).as("others may not have noticed").isEmpty();
    assertThat(meters.counter("seriatim.lease.suspensions").count()).isOne();

    down = false;
    await().atMost(LONG).until(() -> ownership.acquired.stream().allMatch(PartitionLease::trusted));
    assertThat(ownership.lost).isEmpty();
    assertThat(ownership.acquired).as("still the same leases").hasSize(16);
    scheduler.stop();
  }

  /** While it waits for the last request, a stopping pod must not live by its word alone. */
  @Test
  void sessionThatEndsDuringAStopIsNoticed() {
    renewEvery = Duration.ofSeconds(10);
    ownership.drainsAtOnce = false;
    LeaseScheduler scheduler = scheduler(Duration.ofMillis(900), LONG);
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);
    CompletableFuture<Void> stop =
        CompletableFuture.runAsync(scheduler::stop, task -> Thread.ofVirtual().start(task));
    await().atMost(LONG).until(() -> count("worker where leaving") == 1);

    down = true;
    endSessions();

    await().atMost(LONG).until(() -> ownership.suspensions.get() == 1);
    assertThat(ownership.acquired).noneMatch(PartitionLease::trusted);
    down = false;
    await().atMost(LONG).until(() -> ownership.acquired.getFirst().trusted());
    ownership.releases().forEach(ownership::drained);
    stop.join();
    assertThat(count("partition where owner is null")).isEqualTo(16);
  }

  /** The pod is cut off, others take it for dead, and it comes back. */
  @Test
  void podThatWasTakenForDeadLearnsItAndStartsAnew() {
    LeaseScheduler scheduler = scheduler(Duration.ofMillis(300), LONG);
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);

    down = true;
    endSessions();
    await().atMost(LONG).until(() -> !held(lock()));
    jdbc.sql("delete from worker").update();
    jdbc.sql("update partition set owner = null, worker = null, lease_until = null").update();
    assertThat(ownership.lost).isEmpty();
    down = false;

    await().atMost(LONG).until(() -> ownership.lost.size() == 16 && ownership.size() == 16);
    assertThat(ownership.owned.values()).allMatch(lease -> lease.epoch() == 2);
    assertThat(meters.counter("seriatim.lease.transitions", "cause", "lost").count()).isEqualTo(16);
    scheduler.stop();
  }

  @Test
  void withoutAGraceThereIsNoLockAndNothingIsBrokenOff() {
    LeaseScheduler scheduler = scheduler(Duration.ZERO, LONG);
    scheduler.start();
    await().atMost(LONG).until(() -> ownership.size() == 16);
    assertThat(count("worker where lock is null")).isOne();

    down = true;
    endSessions();
    await()
        .atMost(LONG)
        .until(() -> opened.stream().allMatch(LeaseSchedulerIntegrationTests::closed));

    assertThat(ownership.acquired).allMatch(PartitionLease::trusted);
    assertThat(ownership.suspensions).hasValue(0);
    down = false;
    scheduler.stop();
  }

  private void endSessions() {
    jdbc.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and application_name = 'leases'")
        .query()
        .listOfRows();
  }

  private long lock() {
    return jdbc.sql("select lock from worker").query(Long.class).single();
  }

  private boolean held(long lock) {
    return !jdbc.sql("select pg_try_advisory_xact_lock_shared(:lock)")
        .param("lock", lock)
        .query(Boolean.class)
        .single();
  }

  private LeaseScheduler scheduler(Duration drain) {
    return scheduler(Duration.ofSeconds(3), drain);
  }

  private LeaseScheduler scheduler(Duration grace, Duration drain) {
    LeaseSettings settings =
        new LeaseSettings(
            Duration.ofSeconds(30),
            renewEvery,
            Duration.ofMillis(50),
            Duration.ofSeconds(2),
            grace);
    MonotonicClock clock = System::nanoTime;
    LeaseKeeper keeper =
        new LeaseKeeper(
            new LeaseStore("a", settings.ttl()),
            new WorkerStore("a", settings),
            settings,
            16,
            ownership,
            clock,
            new Random(1),
            new LeaseMeters(meters));
    return new LeaseScheduler(
        keeper, new LeaseSessions(this::open, settings, new Random(2)), settings, drain, clock);
  }

  private Connection open() throws SQLException {
    if (down) {
      throw new SQLException("away, for a test");
    }
    Properties properties = new Properties();
    properties.setProperty("user", database.username());
    properties.setProperty("password", database.password());
    properties.setProperty("ApplicationName", "leases");
    Connection connection = DriverManager.getConnection(database.url(), properties);
    opened.add(connection);
    return connection;
  }

  private long count(String fromAndWhere) {
    return jdbc.sql("select count(*) from " + fromAndWhere).query(Long.class).single();
  }

  private static boolean closed(Connection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
