package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.partition.Partitioner;
import dev.seriatim.partition.WorkerName;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What one pod publishes for a partition of another. */
@ExtendWith(OutputCaptureExtension.class)
class WakeUpsIntegrationTests {

  /** Longer than any test waits: what is delivered was not found by polling. */
  private static final String NEVER = "seriatim.drain.poll-every=10m";

  private static final String OFTEN = "seriatim.drain.poll-every=100ms";

  private static final String OF_LISTENERS =
      "from pg_stat_activity where datname = current_database() and application_name = 'seriatim-wake-ups'";

  private final TestDatabase database = TestDatabase.create();
  private TestService publishing;
  private TestService owner;
  private PgBouncer pooler;
  private Scenario scenario;

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : Arrays.asList(scenario, owner, publishing, pooler, database)) {
      if (one != null) {
        one.close();
      }
    }
  }

  @Test
  void ownerHearsOfItAtOnce() {
    start(database.url(), NEVER);

    scenario.publishLine(3, "k");
    scenario.receiver.awaitAcknowledged(3);
    scenario.publish("k-e4", "k");
    scenario.receiver.awaitAcknowledged(4);

    scenario.endsInOrder();
  }

  /** Case W9: nobody polls, so only the look around after listening again can find it. */
  @Test
  void whatCameWhileTheListenConnectionWasDownIsDeliveredOnceItIsBack() throws SQLException {
    start(database.url(), NEVER);
    awaitListeners(2);
    awaitFullPools();

    letNobodyIn(true);
    assertThat(terminateListeners()).isEqualTo(2);
    scenario.log.await("wake-up listener has no connection");
    scenario.publishLine(3, "k");
    assertThat(scenario.receiver.log()).isEmpty();
    assertThat(listeners()).isZero();
    letNobodyIn(false);

    scenario.receiver.awaitAcknowledged(3);
    scenario.endsInOrder(0, Set.of(), "wake-up listener has no connection");
  }

  /** Case W9, as it was reported. */
  @Test
  void whatCameWhileTheListenConnectionIsDownIsFoundByPolling() throws SQLException {
    start(database.url(), OFTEN);
    awaitListeners(2);
    awaitFullPools();

    letNobodyIn(true);
    assertThat(terminateListeners()).isEqualTo(2);
    scenario.publishLine(3, "k");
    scenario.receiver.awaitAcknowledged(3);
    assertThat(listeners()).isZero();

    letNobodyIn(false);
    awaitListeners(2);
    scenario.endsInOrder(0, Set.of(), "wake-up listener has no connection");
  }

  /** Case W11, for wake-ups. */
  @Test
  void behindATransactionPoolerPollingDoesItAlone(CapturedOutput log) {
    pooler = PgBouncer.startOrSkip(database);
    start(pooler.url(), OFTEN);

    scenario.publishLine(3, "k");
    scenario.receiver.awaitAcknowledged(3);

    assertThat(
            log.toString().lines().filter(line -> line.contains("Wake-ups between pods are off")))
        .as("once for each pod")
        .hasSize(2);
    // Not by the name: the pooler's sessions may still have that of whoever used them last.
    assertThat(
            count(
                "select count(*) from pg_stat_activity where datname = current_database() and query ilike 'listen %'"))
        .isZero();
    scenario.endsInOrder();
  }

  /** Two pods, and a subscription in a partition of the one that does not publish. */
  private void start(String url, String polling) {
    publishing = TestService.startOn(database, url, Pod.settings(polling));
    owner = TestService.startOn(database, url, Pod.settings(polling));
    scenario = new Scenario("wake", database, publishing, owner);
    String worker = owner.bean(WorkerName.class).value();
    Patience.until("each has half", () -> owned(worker) == Pod.PARTITIONS / 2);
    Partitioner partitioner = owner.bean(Partitioner.class);
    int number = 0;
    while (!owns(worker, partitioner.partition("wake-" + number))) {
      number++;
    }
    scenario.subscribe("wake-" + number, "RESOURCE", Scenario.QUICK);
  }

  private int owned(String worker) {
    return count("select count(*) from partition where worker = '%s'".formatted(worker));
  }

  private boolean owns(String worker, int partition) {
    return count(
            "select count(*) from partition where worker = '%s' and id = %d"
                .formatted(worker, partition))
        == 1;
  }

  private int count(String sql) {
    return scenario.jdbc().sql(sql).query(Integer.class).single();
  }

  private int listeners() {
    return count("select count(*) " + OF_LISTENERS);
  }

  private void awaitListeners(int count) {
    Patience.until(count + " pods listen", () -> listeners() == count);
  }

  /** So that no pod needs a new connection while it would get none. */
  private void awaitFullPools() {
    Patience.until(
        "both pools are full",
        () ->
            count(
                    "select count(*) from pg_stat_activity where datname = current_database()"
                        + " and application_name = 'PostgreSQL JDBC Driver'")
                >= 2 * 10);
  }

  private int terminateListeners() {
    return count("select count(pg_terminate_backend(pid, 10000)) " + OF_LISTENERS);
  }

  /** Holds all new connections to the database off; those that there are go on. */
  private void letNobodyIn(boolean closed) throws SQLException {
    String name = scenario.jdbc().sql("select current_database()").query(String.class).single();
    String another = database.url().replace("/" + name, "/postgres");
    try (Connection connection =
            DriverManager.getConnection(another, database.username(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute("alter database %s allow_connections %s".formatted(name, !closed));
    }
  }
}
