package dev.seriatim.operations;

import dev.seriatim.TestDatabase;
import dev.seriatim.api.Operator;
import dev.seriatim.audit.Audit;
import dev.seriatim.queue.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import tools.jackson.databind.json.JsonMapper;

/** Replays and jobs as one pod has them; its thread is not started, so that tests do the steps. */
final class ReplayPod implements AutoCloseable {

  final TestQueue queue;
  final DeadLetterRows rows;
  final DeadLetterReplays letters;
  final RangeEvents rangeEvents;
  final EventRedelivery redelivery;
  final JobStore jobs;
  final JobRunner runner;
  final EventStatusQuery status;

  /** Runs before each commit of a step. */
  volatile Runnable beforeCommit = () -> {};

  ReplayPod(TestDatabase database) {
    queue = new TestQueue(database);
    JsonMapper mapper = JsonMapper.shared();
    Operator operator = new Operator();
    Audit audit = new Audit(queue.jdbc, mapper, operator);
    Repeatable repeatable = new Repeatable(queue.transaction);
    rows = new DeadLetterRows(queue.jdbc, queue.subscriptions.directory());
    letters =
        new DeadLetterReplays(
            queue.jdbc,
            repeatable,
            rows,
            queue.replays,
            audit,
            new AuditQuery(queue.jdbc, mapper),
            queue.wakeUps);
    rangeEvents = new RangeEvents(queue.jdbc);
    redelivery =
        new EventRedelivery(
            queue.jdbc,
            repeatable,
            queue.subscriptions.directory(),
            new SubscriptionNames(queue.jdbc, queue.subscriptions.directory()),
            queue.replays,
            audit,
            queue.wakeUps);
    jobs = new JobStore(queue.jdbc, mapper, operator);
    runner =
        new JobRunner(
            queue.jdbc,
            this::gated,
            queue.wakeUps,
            List.of(
                new DeadLetterJob(rows, queue.replays),
                new RangeJob(rangeEvents, queue.subscriptions.directory(), queue.replays)));
    status = new EventStatusQuery(queue.jdbc);
  }

  private <T> T gated(TransactionCallback<T> action) {
    return queue.transaction.execute(
        (TransactionStatus status) -> {
          T result = action.doInTransaction(status);
          beforeCommit.run();
          return result;
        });
  }

  /** Steps until nothing is left. */
  int workOff() {
    int steps = 0;
    while (runner.step()) {
      steps++;
    }
    return steps;
  }

  Job job(long id) {
    return jobs.find(id).orElseThrow();
  }

  /** What is queued, by lane: the sequences in the order in which they came into the queue. */
  Map<String, List<Long>> cameBack() {
    return queue
        .jdbc
        .sql(
            """
            select l.key, array_agg(d.sequence order by d.tx, d.sequence) as sequences
            from delivery d join lane l on l.id = d.lane_id
            group by l.key
            """)
        .query(
            rows -> {
              Map<String, List<Long>> lanes = new TreeMap<>();
              while (rows.next()) {
                lanes.put(
                    rows.getString("key"), List.of((Long[]) rows.getArray("sequences").getArray()));
              }
              return lanes;
            });
  }

  /** Waits until so many sessions of this database wait for a lock. */
  void awaitBlocked(int sessions) {
    Awaitility.await(sessions + " sessions that wait for a lock")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                queue.count(
                        "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                    == sessions);
  }

  static <T> CompletableFuture<T> async(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofVirtual().start(task))
        .orTimeout(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    queue.close();
  }
}
