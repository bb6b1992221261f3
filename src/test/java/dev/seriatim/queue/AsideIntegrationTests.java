package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.partition.WorkerName;
import dev.seriatim.subscription.OrderingScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** {@link Aside} and {@link Holds}, and what publishing does for a held lane. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsideIntegrationTests {

  private static final String HOLD =
      "update lane set state = 'HELD', held_by = 'OPERATOR', reason = 'test', held_at = now(), changed_tx = pg_current_xact_id() where key = '%s'";
  private static final String RESUME =
      "update lane set state = 'ACTIVE', held_by = null, reason = null, held_at = null, changed_tx = pg_current_xact_id() where key = '%s'";

  private final TestDatabase database = TestDatabase.create();
  private final Pod pod = new Pod(database);
  private final long orders = pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
  private final PartitionLease lease = pod.acquire(pod.partition("orders"));
  private final Aside aside = new Aside(pod.jdbc, pod.log);
  private final Holds holds = new Holds(pod.jdbc);

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  @Test
  void heldLaneGoesAsideStepByStepAndComesBack() {
    publish("a", 5);
    publish("b", 2);
    long lane = lane("a");
    assertThat(aside.laneAside(lane, 0, 2)).as("not held").isEmpty();
    assertThat(pod.queued(lease)).hasSize(7);

    execute(HOLD.formatted("a"));
    assertThat(aside.laneAside(lane, 0, 2)).hasValue(2);
    assertThat(pod.queued(lease)).hasSize(5);
    assertThat(aside.laneAside(lane, 2, 2)).hasValue(4);
    assertThat(aside.laneAside(lane, 4, 2)).isEmpty();
    assertThat(pod.queued(lease)).extracting(Delivery::laneId).containsOnly(lane("b"));
    assertThat(aside.laneBack(lease, lane, 0, 10).next()).as("still held").isEmpty();
    assertThat(pod.queued(lease)).hasSize(2);

    execute(RESUME.formatted("a"));
    Aside.LaneReturned first = aside.laneBack(lease, lane, 0, 3);
    assertThat(first.next()).hasValue(3);
    assertThat(first.back()).extracting(Delivery::sequence).containsExactly(1L);
    Aside.LaneReturned rest = aside.laneBack(lease, lane, 3, 3);
    assertThat(rest.next()).isEmpty();
    assertThat(rest.back()).extracting(Delivery::sequence).containsExactly(4L);
    assertThat(aside.laneBack(lease, lane, 0, 10).back()).as("is back").isEmpty();
    assertThat(pod.queued(lease)).hasSize(7);
  }

  @Test
  void whatIsPublishedIntoAHeldLaneStandsAsideInItsPlaceOfTheLane() {
    publish("a", 1);
    execute(HOLD.formatted("a"));

    assertThat(pod.write(Pod.event("acme", "later", "a")).deliveries().getFirst())
        .matches(routed -> routed.sequence() == 2 && routed.partition() == lease.partition());

    assertThat(pod.queued(lease)).hasSize(1);
    PartitionLog.LaneRows rows =
        pod.log.lanes(lease, List.of(new PartitionLog.LaneFrom(lane("a"), 0)), 5).get(lane("a"));
    assertThat(rows.held()).isTrue();
    assertThat(rows.aside()).isTrue();
    assertThat(rows.rows()).extracting(Delivery::sequence).containsExactly(1L, 2L);
  }

  @Test
  void disabledSubscriptionGoesAsidePageByPage() {
    pod.subscriptions.create("others", "acme", OrderingScope.RESOURCE);
    publish("a", 6);
    pod.jdbc
        .sql("update delivery set partition = :partition")
        .param("partition", lease.partition())
        .update();
    assertThat(aside.subscriptionAside(lease, orders, Place.START, 100)).isNull();
    assertThat(pod.queued(lease)).hasSize(12);

    pod.subscriptions.disable("orders");
    Place after = Place.START;
    for (int page = 0; page < 3; page++) {
      after = aside.subscriptionAside(lease, orders, after, 4);
      assertThat(after).isNotNull();
    }
    assertThat(aside.subscriptionAside(lease, orders, after, 4)).isNull();

    assertThat(pod.queued(lease)).hasSize(6).noneMatch(row -> row.subscriptionPk() == orders);
  }

  /** What may come back does, of what stays the subscriptions are named. */
  @Test
  void passBringsBackWhatStandsAsideWithoutAReason() {
    publish("held", 2);
    publish("resumed", 2);
    execute(HOLD.formatted("held"));
    pod.jdbc.sql("update delivery set partition = ~partition").update();

    Aside.Returned page = aside.back(lease, Place.START, 3);
    Aside.Returned rest = aside.back(lease, page.last(), 3);

    assertThat(rest.last()).isNull();
    assertThat(page.back()).hasSize(1);
    assertThat(rest.back()).hasSize(1);
    assertThat(page.subscriptions()).containsExactly(orders);
    assertThat(page.disabled()).isEmpty();
    assertThat(rest.subscriptions()).isEmpty();
    assertThat(pod.queued(lease)).extracting(Delivery::laneId).containsOnly(lane("resumed"));

    pod.subscriptions.delete("orders");
    assertThat(aside.back(lease, Place.START, 10).back()).hasSize(2);
  }

  @Test
  void passSaysWhichSubscriptionsAreDisabled() {
    publish("a", 1);
    pod.subscriptions.disable("orders");
    aside.subscriptionAside(lease, orders, Place.START, 10);

    Aside.Returned page = aside.back(lease, Place.START, 10);

    assertThat(page.back()).isEmpty();
    assertThat(page.disabled()).containsExactly(orders);
  }

  /** What it moved would come to places that the owner has read, or go from where it looked. */
  @Test
  void formerOwnerMovesNothingBackAndNothingByPlace() {
    publish("a", 2);
    publish("b", 2);
    PartitionLease next = pod.acquire(lease.partition());
    pod.subscriptions.disable("orders");
    assertThat(aside.subscriptionAside(lease, orders, Place.START, 10)).isNull();
    assertThat(pod.queued(next)).hasSize(4);

    pod.jdbc.sql("update delivery set partition = ~partition").update();
    execute("update subscription set state = 'ENABLED'");

    assertThat(aside.back(lease, Place.START, 10).back()).isEmpty();
    assertThat(aside.laneBack(lease, lane("a"), 0, 10).back()).isEmpty();
    assertThat(pod.queued(next)).isEmpty();
    assertThat(aside.laneBack(next, lane("a"), 0, 10).back()).hasSize(1);
    assertThat(aside.back(next, Place.START, 10).back()).hasSize(2);
  }

  /** So what it moves back is there before the next owner reads. */
  @Test
  void partitionCannotBeClaimedWhileItsRowsMoveBack() throws Exception {
    publish("a", 1);
    pod.jdbc.sql("update delivery set partition = ~partition").update();
    try (Connection moving = database.dataSource(1).getConnection()) {
      moving.setAutoCommit(false);
      assertThat(aside(moving).back(lease, Place.START, 10).back()).hasSize(1);

      assertThat(
              pod.jdbc
                  .sql("select id from partition where id = :id for update skip locked")
                  .param("id", lease.partition())
                  .query(Integer.class)
                  .list())
          .isEmpty();
    }
  }

  /** Or each would wait for the other, and all that this pod settles with them for a second. */
  @Test
  void laneIsParkedWhileSomebodyChangesItAndItsHead() throws Exception {
    publish("a", 1);
    Delivery head = pod.queued(lease).getFirst();
    SettleWriter settles = new SettleWriter(pod.jdbc, new WorkerName("test"));
    try (Connection operator = database.dataSource(1).getConnection()) {
      operator.setAutoCommit(false);
      operator.createStatement().execute("select from lane where key = 'a' for no key update");
      CompletableFuture<List<Settler.Outcome>> parked =
          Pod.async(() -> settles.write(List.of(new Settler.Item(lease, Settlements.park(head)))));
      pod.awaitBlocked(1);

      operator
          .createStatement()
          .executeUpdate("update delivery set next_attempt_at = clock_timestamp()");
      operator.commit();
      assertThat(parked.get(60, TimeUnit.SECONDS)).containsExactly(Settler.Outcome.SETTLED);
    }
    assertThat(pod.jdbc.sql("select state from lane where key = 'a'").query(String.class).single())
        .isEqualTo("HELD");
  }

  /** Or a row would stand aside in a lane that goes on, and the next owner lose sight of it. */
  @Test
  void laneCannotBeResumedWhileItsRowsMoveAside() throws Exception {
    publish("a", 3);
    execute(HOLD.formatted("a"));
    try (Connection moving = database.dataSource(1).getConnection()) {
      moving.setAutoCommit(false);
      aside(moving).laneAside(lane("a"), 0, 10);

      CompletableFuture<Integer> resumed = Pod.async(() -> execute(RESUME.formatted("a")));
      pod.awaitBlocked(1);
      moving.commit();
      assertThat(resumed.get(60, TimeUnit.SECONDS)).isOne();
    }
    assertThat(aside.laneAside(lane("a"), 0, 10)).isEmpty();
    aside.laneBack(lease, lane("a"), 0, 10);
    assertThat(pod.queued(lease)).hasSize(3);
  }

  @Test
  void subscriptionCannotBeEnabledWhileItsRowsMoveAside() throws Exception {
    publish("a", 3);
    pod.subscriptions.disable("orders");
    try (Connection moving = database.dataSource(1).getConnection()) {
      moving.setAutoCommit(false);
      aside(moving).subscriptionAside(lease, orders, Place.START, 10);

      CompletableFuture<Integer> enabled =
          Pod.async(() -> execute("update subscription set state = 'ENABLED'"));
      pod.awaitBlocked(1);
      moving.commit();
      assertThat(enabled.get(60, TimeUnit.SECONDS)).isOne();
    }
    assertThat(aside.back(lease, Place.START, 10).back()).hasSize(3);
  }

  /** O5, for changes: one that commits late is not missed. */
  @Test
  void changeThatCommitsLateIsNamed() throws SQLException {
    publish("early", 1);
    publish("late", 1);
    long begin = holds.changedSince(null).snapshotXmin();
    try (Connection slow = database.dataSource(1).getConnection()) {
      slow.setAutoCommit(false);
      slow.createStatement().executeUpdate(HOLD.formatted("late"));
      execute(HOLD.formatted("early"));

      Holds.Changes first = holds.changedSince(begin);
      assertThat(first.lanes())
          .extracting(Holds.ChangedLane::lane, Holds.ChangedLane::partition)
          .containsExactly(tuple(lane("early"), lease.partition()));
      slow.commit();

      assertThat(holds.changedSince(first.snapshotXmin()).lanes())
          .extracting(Holds.ChangedLane::lane)
          .contains(lane("late"));
    }
  }

  @Test
  void namesThePausedPartitions() {
    assertThat(holds.changedSince(null).paused()).isEmpty();
    execute("update partition set paused_at = now(), paused_reason = 'test' where id in (3, 5)");

    assertThat(holds.changedSince(null).paused()).containsExactlyInAnyOrder(3, 5);
    assertThat(holds.paused(3)).isTrue();
    assertThat(holds.paused(4)).isFalse();
  }

  private Aside aside(Connection connection) {
    JdbcClient jdbc = JdbcClient.create(new SingleConnectionDataSource(connection, true));
    return new Aside(jdbc, new PartitionLog(jdbc, pod.clock));
  }

  private void publish(String key, int events) {
    for (int number = 1; number <= events; number++) {
      pod.write(Pod.event("acme", key + number, key));
    }
  }

  private int execute(String sql) {
    return pod.jdbc.sql(sql).update();
  }

  private long lane(String key) {
    return pod.jdbc
        .sql("select id from lane where key = :key order by id limit 1")
        .param("key", key)
        .query(Long.class)
        .single();
  }
}
