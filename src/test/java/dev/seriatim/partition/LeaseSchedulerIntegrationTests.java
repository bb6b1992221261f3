package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestDatabase;
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
    assertThat(count("partition where lease_until is null and owner is null")).isEqualTo(16);
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

    jdbc.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and application_name = 'leases'")
        .query()
        .listOfRows();

    jdbc.sql("update partition set lease_until = clock_timestamp()").update();
    await()
        .atMost(LONG)
        .until(() -> count("partition where lease_until > clock_timestamp()") == 16);
    scheduler.stop();
    assertThat(opened).hasSizeGreaterThanOrEqualTo(2);
    assertThat(opened).allMatch(LeaseSchedulerIntegrationTests::closed);
  }

  private LeaseScheduler scheduler(Duration releaseTimeout) {
    LeaseSettings settings =
        new LeaseSettings(
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofMillis(50),
            Duration.ofSeconds(2),
            releaseTimeout);
    MonotonicClock clock = System::nanoTime;
    LeaseKeeper keeper =
        new LeaseKeeper(
            new LeaseStore("a", settings.ttl()),
            settings,
            16,
            "a",
            ownership,
            clock,
            new Random(1));
    return new LeaseScheduler(keeper, this::open, settings, clock);
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
