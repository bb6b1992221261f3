package dev.seriatim.operations;

import dev.seriatim.TestDatabase;
import dev.seriatim.operations.RetentionStep.Outcome;
import dev.seriatim.partition.WorkerName;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Retention as one pod has it, on a pool of its own; its thread is not started. */
final class RetentionPod {

  /** May do anything, as the pod may not. */
  final JdbcClient fixture;

  final JdbcClient jdbc;
  final TransactionTemplate transaction;
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final AttemptRetention attempts;
  final EventRetention events;
  final Retention retention;

  RetentionPod(TestDatabase database, String name) {
    this(database, name, RetentionSettingsTests.settings(30, 30, 90), LockTimeout.SHORT);
  }

  RetentionPod(TestDatabase database, String name, RetentionSettings settings, Duration patience) {
    this.fixture = JdbcClient.create(database.dataSource(4));
    DataSource dataSource = database.serviceDataSource(4);
    this.jdbc = JdbcClient.create(dataSource);
    this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
    RetentionTurns turns = new RetentionTurns(jdbc, new WorkerName(name));
    RetentionMeters meters = new RetentionMeters(registry);
    this.attempts =
        new AttemptRetention(jdbc, transaction, turns, meters, settings.attempts(), patience);
    this.events =
        new EventRetention(jdbc, transaction, turns, meters, settings, Duration.ofMinutes(1));
    this.retention = new Retention(List.of(attempts, events), turns, meters);
  }

  /** Steps until nothing is left, as a pod of its own that finds everything due. */
  int workOff(RetentionStep step) {
    dueNow();
    int steps = 1;
    while (step.step() == Outcome.MORE) {
      steps++;
    }
    return steps;
  }

  /** As if nothing had been looked at for long. */
  void dueNow() {
    jdbc.sql(
            "update retention set due_at = '-infinity', worker = null, from_start_at = '-infinity'")
        .update();
  }

  long count(String fromAndWhere) {
    return jdbc.sql("select count(*) from " + fromAndWhere).query(Long.class).single();
  }

  double deleted(RetentionMeters.What what) {
    return registry
        .get("seriatim.retention.deleted")
        .tag("what", what.name().toLowerCase(Locale.ROOT))
        .counter()
        .count();
  }

  /** Waits until so many sessions of this database wait for a lock. */
  void awaitBlocked(int sessions) {
    Awaitility.await(sessions + " sessions that wait for a lock")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> blocked() == sessions);
  }

  /** Waits until it has ended, or waits for a lock itself. */
  void awaitDoneOrBlocked(CompletableFuture<?> work) {
    Awaitility.await("the end, or a session that waits for a lock")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> work.isDone() || blocked() > 0);
  }

  private long blocked() {
    return count(
        "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
  }

  static <T> CompletableFuture<T> async(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofVirtual().start(task))
        .orTimeout(60, TimeUnit.SECONDS);
  }
}
