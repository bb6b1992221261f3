package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.subscription.OrderingScope;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What Spring makes of a PostgreSQL that goes away, and what {@link Outage} makes of that. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutageIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final Pod pod = new Pod(database);
  private final JdbcClient admin = JdbcClient.create(database.dataSource(1));

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  @Test
  void sessionThatEndsBeforeTheCommitIsAnOutageAndNothingIsStored() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
    pod.beforeCommit = this::killSessions;

    RuntimeException failure = failure(() -> pod.write(Pod.event("acme", "e1", "k")));

    assertThat(failure).matches(Outage::is, "is an outage");
    assertThat(admin.sql("select count(*) from event").query(Long.class).single()).isZero();
    pod.beforeCommit = () -> {};
    assertThat(pod.write(Pod.event("acme", "e1", "k")).deliveries().getFirst().sequence()).isOne();
  }

  @Test
  void sessionThatEndsDuringAStatementIsAnOutage() {
    assertThat(
            failure(
                () ->
                    pod.jdbc
                        .sql("select pg_terminate_backend(pg_backend_pid())")
                        .query()
                        .listOfRows()))
        .matches(Outage::is, "is an outage");
  }

  @Test
  void databaseThatDoesNotAnswerIsAnOutage() throws IOException {
    int nobody;
    try (ServerSocket socket = new ServerSocket(0)) {
      nobody = socket.getLocalPort();
    }
    DriverManagerDataSource away =
        new DriverManagerDataSource("jdbc:postgresql://localhost:" + nobody + "/x", "x", "x");

    assertThat(failure(() -> JdbcClient.create(away).sql("select 1").query().listOfRows()))
        .matches(Outage::is, "is an outage");
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(away));
    assertThat(failure(() -> transaction.execute(status -> 1))).matches(Outage::is, "is an outage");
  }

  @Test
  void refusedRowIsNoOutage() {
    PartitionLease lease = pod.acquire(0);

    assertThat(failure(() -> pod.writer.write(List.of(Pod.event("acme", "NUL \0", null)))))
        .matches(e -> !Outage.is(e), "is no outage");
    assertThat(failure(() -> pod.jdbc.sql("insert into event (pk) values (1)").update()))
        .matches(e -> !Outage.is(e), "is no outage");
    assertThat(
            failure(
                () ->
                    pod.jdbc
                        .sql("insert into partition (id) values (:id)")
                        .param("id", lease.partition())
                        .update()))
        .matches(e -> !Outage.is(e), "is no outage");
  }

  /** All but the administrator's own. */
  private void killSessions() {
    admin
        .sql(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()")
        .query()
        .listOfRows();
  }

  private static RuntimeException failure(ThrowingCallable work) {
    RuntimeException failure = catchThrowableOfType(RuntimeException.class, work);
    assertThat(failure).isNotNull();
    return failure;
  }
}
