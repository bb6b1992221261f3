package dev.seriatim.queue;

import static org.awaitility.Awaitility.await;

import dev.seriatim.SettableClock;
import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.partition.Partitioner;
import dev.seriatim.partition.WorkerName;
import dev.seriatim.subscription.TestSubscriptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The queue as one pod has it: beans of its own on a pool of its own. Two of them on one database
 * are two pods. Closing it stops its threads; the database closes the pool.
 */
final class Pod implements AutoCloseable {

  static final int PARTITIONS = 16;

  final JdbcClient jdbc;
  final SettableClock clock = new SettableClock();
  final TestSubscriptions subscriptions;
  final Partitioner partitioner = new Partitioner(PARTITIONS);
  final EventWriter writer;
  final WakeUpSender wakeUpSender =
      new WakeUpSender(partitions -> this.tellOthers.accept(partitions));
  final WakeUps wakeUps = new WakeUps(wakeUpSender);
  final GroupPublisher publisher;
  final PartitionLog log;
  final ContentReader contents;
  final SettleWriter settleWriter;
  final Settler settler;

  /** Runs before each commit of the publish transaction. */
  volatile Runnable beforeCommit = () -> {};

  /** Tells the other pods of partitions with something new. */
  volatile Consumer<Set<Integer>> tellOthers;

  private final TransactionOperations transaction;

  Pod(TestDatabase database) {
    this(database, 8);
  }

  Pod(TestDatabase database, int connections) {
    DataSource dataSource = database.dataSource(connections);
    this.jdbc = JdbcClient.create(dataSource);
    this.tellOthers = new WakeUpChannel(jdbc)::tell;
    jdbc.sql(
            "insert into partition (id) select generate_series(0, :count - 1) on conflict do nothing")
        .param("count", PARTITIONS)
        .update();
    this.subscriptions = new TestSubscriptions(dataSource);
    this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
    QueueNumbers numbers = new QueueNumbers(jdbc);
    QueueMeters meters = new QueueMeters(new SimpleMeterRegistry());
    this.writer =
        new EventWriter(
            this::gated,
            new EventTable(jdbc, numbers),
            new EventRouter(jdbc, subscriptions.directory(), partitioner, numbers));
    this.publisher = new GroupPublisher(writer, wakeUps, new PublishSettings(500, 20_000), meters);
    this.log = new PartitionLog(jdbc, clock);
    this.contents = new ContentReader(jdbc, meters);
    this.settleWriter = new SettleWriter(jdbc, new WorkerName("pod-1"));
    this.settler = new Settler(settleWriter, new SettleSettings(500, Duration.ZERO, 16), meters);
  }

  private <T> T gated(TransactionCallback<T> action) {
    return transaction.execute(
        (TransactionStatus status) -> {
          T result = action.doInTransaction(status);
          beforeCommit.run();
          return result;
        });
  }

  static NewEvent event(String tenant, String id, String resource) {
    return event(tenant, id, resource, "{\"id\": \"" + id + "\"}");
  }

  static NewEvent event(String tenant, String id, String resource, String payload) {
    return new NewEvent(
        tenant,
        id,
        "order.paid",
        resource,
        "application/json",
        payload.getBytes(StandardCharsets.UTF_8));
  }

  /** Stores one event, which must not be refused. */
  PublishResult.Accepted write(NewEvent event) {
    return (PublishResult.Accepted) writer.write(List.of(event)).getFirst();
  }

  int partition(String routingKey) {
    return partitioner.partition(routingKey);
  }

  /** Acquires a partition, whoever had it. */
  PartitionLease acquire(int partition) {
    long epoch =
        jdbc.sql("update partition set epoch = epoch + 1 where id = :id returning epoch")
            .param("id", partition)
            .query(Long.class)
            .single();
    return new PartitionLease(
        partition,
        epoch,
        UUID.randomUUID(),
        clock,
        clock.nanos() + Duration.ofMinutes(1).toNanos());
  }

  /** What is queued in a partition, in order of place. */
  List<Delivery> queued(PartitionLease lease) {
    return log.page(lease, Place.START, 10_000).deliveries();
  }

  long count(String fromAndWhere) {
    return jdbc.sql("select count(*) from " + fromAndWhere).query(Long.class).single();
  }

  /** Waits until so many sessions of this database wait for a lock. */
  void awaitBlocked(int sessions) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                count(
                        "pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                    == sessions);
  }

  /** Does it on a thread of its own. */
  static <T> CompletableFuture<T> async(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofVirtual().start(task));
  }

  /** All results, or the first failure. */
  static <T> List<T> all(List<CompletableFuture<T>> futures) {
    List<T> results = new ArrayList<>();
    futures.forEach(future -> results.add(future.orTimeout(60, TimeUnit.SECONDS).join()));
    return results;
  }

  @Override
  public void close() {
    publisher.destroy();
    wakeUpSender.close();
    contents.destroy();
    settler.destroy();
  }
}
