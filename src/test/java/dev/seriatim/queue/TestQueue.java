package dev.seriatim.queue;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.Partitioner;
import dev.seriatim.subscription.TestSubscriptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The queue as operators find it: events are published into it, and come back. One is one pod, with
 * a pool of its own; nobody drains it.
 */
public final class TestQueue implements AutoCloseable {

  public final JdbcClient jdbc;
  public final TransactionTemplate transaction;
  public final TestSubscriptions subscriptions;
  public final Replays replays;
  public final WakeUps wakeUps;
  private final WakeUpSender sender = new WakeUpSender(partitions -> {});
  private final EventWriter writer;

  public TestQueue(TestDatabase database) {
    DataSource dataSource = database.dataSource(8);
    this.jdbc = JdbcClient.create(dataSource);
    this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
    this.subscriptions = new TestSubscriptions(dataSource);
    this.wakeUps = new WakeUps(sender);
    QueueNumbers numbers = new QueueNumbers(jdbc);
    Partitioner partitioner = new Partitioner(16);
    this.replays = new Replays(jdbc, partitioner, numbers);
    this.writer =
        new EventWriter(
            transaction,
            new EventTable(jdbc, numbers),
            new EventRouter(jdbc, subscriptions.directory(), partitioner, numbers));
  }

  public static NewEvent event(String tenant, String id, @Nullable String resource) {
    return new NewEvent(
        tenant,
        id,
        "order.paid",
        resource,
        "application/json",
        "1".getBytes(StandardCharsets.UTF_8));
  }

  /** In one transaction. */
  public void publish(List<NewEvent> events) {
    writer.write(events);
  }

  /** As if everything had been delivered. */
  public void deliverAll() {
    jdbc.sql("delete from delivery").update();
  }

  /** As if everything had failed for good. */
  public void ejectAll() {
    jdbc.sql(
            """
            with gone as (delete from delivery returning *)
            insert into dead_letter (tenant, subscription_pk, event_pk, delivery_id, lane_id, sequence, attempts,
              reason, last_verdict, enqueued_at)
            select s.tenant, g.subscription_pk, g.event_pk, g.id, g.lane_id, g.sequence, 8,
              'ATTEMPTS_EXHAUSTED', 'TIMEOUT', g.enqueued_at
            from gone g join subscription s on s.pk = g.subscription_pk
            order by g.id
            """)
        .update();
  }

  public long count(String fromAndWhere) {
    return jdbc.sql("select count(*) from " + fromAndWhere).query(Long.class).single();
  }

  @Override
  public void close() {
    sender.close();
  }
}
