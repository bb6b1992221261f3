package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Aside;
import dev.seriatim.queue.TestAside;
import dev.seriatim.queue.TestQueue;
import dev.seriatim.subscription.OrderingScope;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeldRowsIntegrationTests {

  /** It is done, but its answer does not come: nobody would ever tell the drainer of these rows. */
  @Test
  void stepWhoseAnswerIsLostHasAllReadAgain() {
    try (TestDatabase database = TestDatabase.create();
        TestQueue queue = new TestQueue(database)) {
      queue.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
      queue.publish(List.of(TestQueue.event("acme", "e1", "r")));
      int partition =
          queue.jdbc.sql("select partition from delivery").query(Integer.class).single();
      queue.jdbc.sql("update delivery set partition = ~partition").update();
      queue.jdbc.sql("insert into partition (id) values (:id)").param("id", partition).update();
      MonotonicClock clock = System::nanoTime;
      PartitionLease lease =
          new PartitionLease(
              partition,
              queue
                  .jdbc
                  .sql("select epoch from partition where id = :id")
                  .param("id", partition)
                  .query(Long.class)
                  .single(),
              UUID.randomUUID(),
              clock,
              clock.nanos() + Duration.ofMinutes(1).toNanos());
      AttemptScope scope = new AttemptScope(lease);
      List<Aside.Returned> told = new CopyOnWriteArrayList<>();
      AtomicInteger missed = new AtomicInteger();
      HeldRows rows =
          new HeldRows(
              lease,
              scope,
              TestAside.on(new LosesTheFirstAnswer(database), clock),
              clock,
              told::add,
              missed::incrementAndGet);

      rows.lookForReturns();

      await().atMost(Duration.ofMinutes(1)).until(() -> missed.get() == 1);
      assertThat(queue.jdbc.sql("select partition from delivery").query(Integer.class).single())
          .isEqualTo(partition);
      assertThat(told).isEmpty();
      scope.abort();
    }
  }

  private static final class LosesTheFirstAnswer extends DelegatingDataSource {

    private final AtomicBoolean lost = new AtomicBoolean();

    LosesTheFirstAnswer(TestDatabase database) {
      super(database.dataSource(2));
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      return proxy(
          Connection.class,
          connection,
          result ->
              result instanceof PreparedStatement statement
                  ? proxy(PreparedStatement.class, statement, this::answer)
                  : result);
    }

    private Object answer(Object result) throws SQLException {
      if (result instanceof java.sql.ResultSet && lost.compareAndSet(false, true)) {
        throw new SQLException("An I/O error occurred while sending to the backend.", "08006");
      }
      return result;
    }

    private interface Answer {
      Object of(Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T target, Answer answer) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (self, method, arguments) -> {
                try {
                  return answer.of(method.invoke(target, arguments));
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }));
    }
  }
}
