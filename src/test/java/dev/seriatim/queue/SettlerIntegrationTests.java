package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.partition.WorkerName;
import dev.seriatim.queue.Settler.Outcome;
import dev.seriatim.subscription.OrderingScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** {@link Settler} and {@link SettleWriter}. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SettlerIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final Pod pod = new Pod(database);
  private final long orders = pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
  private final PartitionLease lease = pod.acquire(pod.partition("orders"));

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  @Test
  void deliveredLeavesTheQueueAndItsAttemptIsRecorded() {
    Delivery row = published("e1");

    assertThat(pod.settler.settle(lease, Settlements.delivered(row))).isEqualTo(Outcome.SETTLED);

    assertThat(pod.count("delivery")).isZero();
    Map<String, Object> attempt = pod.jdbc.sql("select * from attempt").query().singleRow();
    assertThat(attempt)
        .containsEntry("event_pk", row.eventPk())
        .containsEntry("subscription_pk", orders)
        .containsEntry("delivery_id", row.id())
        .containsEntry("lane_id", row.laneId())
        .containsEntry("sequence", 1L)
        .containsEntry("partition", lease.partition())
        .containsEntry("epoch", lease.epoch())
        .containsEntry("worker", "pod-1")
        .containsEntry("attempt", 1)
        .containsEntry("verdict", "DELIVERED")
        .containsEntry("status", 200)
        .containsEntry("duration_ms", 12)
        .containsEntry("address", "127.0.0.1")
        .containsEntry("location", "https://b.example/")
        .containsEntry("response_headers", "a: b\nc: \u00e9");
    assertThat((byte[]) attempt.get("response_body"))
        .isEqualTo(new byte[] {0, (byte) 0xFF, 'x', (byte) 0xC3});
    assertThat(pod.count("dead_letter")).isZero();
  }

  @Test
  void retryStaysWithItsAttemptsAndTimes() {
    Delivery row = published("e1");

    pod.settler.settle(lease, Settlements.retry(row, Duration.ofMinutes(10)));

    Delivery second = pod.queued(lease).getFirst();
    assertThat(second.attempts()).isOne();
    assertThat(Duration.ofNanos(second.dueAt() - pod.clock.nanos()))
        .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    assertThat(column("last_verdict", String.class)).isEqualTo("SERVER_ERROR");
    OffsetDateTime first = column("first_attempt_at", OffsetDateTime.class);
    assertThat(first).isNotNull();

    pod.settler.settle(lease, Settlements.unanswered(second, Duration.ZERO));

    Delivery third = pod.queued(lease).getFirst();
    assertThat(third.attempts()).isEqualTo(2);
    assertThat(third.dueAt()).isEqualTo(pod.clock.nanos());
    assertThat(third.headSince()).isNotNull();
    assertThat(column("first_attempt_at", OffsetDateTime.class)).isEqualTo(first);
    assertThat(column("last_verdict", String.class)).isEqualTo("DNS");
    Map<String, Object> attempt =
        pod.jdbc.sql("select * from attempt where attempt = 2").query().singleRow();
    assertThat(attempt)
        .containsEntry("status", null)
        .containsEntry("address", null)
        .containsEntry("location", null)
        .containsEntry("response_headers", null)
        .containsEntry("response_body", null)
        .containsEntry("duration_ms", Integer.MAX_VALUE);
  }

  @Test
  void ownWaitIsToldFromOneThatTheReceiverAskedFor() {
    Delivery row = published("e1");

    pod.settler.settle(lease, Settlements.retry(row, Duration.ofMinutes(10)));
    Delivery own = pod.queued(lease).getFirst();
    pod.settler.settle(lease, Settlements.retryAsAsked(own, Duration.ofMinutes(20)));
    Delivery asked = pod.queued(lease).getFirst();

    assertThat(own.failedAt()).isNotNull();
    assertThat(Duration.ofNanos(own.dueAt() - own.failedAt())).isEqualTo(Duration.ofMinutes(10));
    assertThat(asked.failedAt()).isNull();
    assertThat(asked.attempts()).isEqualTo(2);
  }

  @Test
  void ejectedIsADeadLetter() {
    Delivery row = published("e1");
    pod.settler.settle(lease, Settlements.retry(row, Duration.ZERO));
    OffsetDateTime first = column("first_attempt_at", OffsetDateTime.class);
    OffsetDateTime enqueued = column("enqueued_at", OffsetDateTime.class);

    pod.settler.settle(lease, Settlements.eject(pod.queued(lease).getFirst()));

    assertThat(pod.count("delivery")).isZero();
    assertThat(pod.count("attempt")).isEqualTo(2);
    assertThat(pod.jdbc.sql("select * from dead_letter").query().singleRow())
        .containsEntry("tenant", "acme")
        .containsEntry("subscription_pk", orders)
        .containsEntry("event_pk", row.eventPk())
        .containsEntry("delivery_id", row.id())
        .containsEntry("lane_id", row.laneId())
        .containsEntry("sequence", 1L)
        .containsEntry("attempts", 2)
        .containsEntry("reason", "ATTEMPTS_EXHAUSTED")
        .containsEntry("last_verdict", "CLIENT_ERROR");
    assertThat(deadLetter("first_attempt_at")).isEqualTo(first);
    assertThat(deadLetter("enqueued_at")).isEqualTo(enqueued);
  }

  /** Also without a lane, and when the subscription has been deleted meanwhile. */
  @Test
  void firstAttemptMayBeTheLast() {
    pod.subscriptions.create("all", "acme", OrderingScope.NONE);
    pod.write(Pod.event("acme", "e1", "k"));
    PartitionLease own = pod.acquire(pod.partition("all"));
    Delivery row = pod.queued(own).stream().filter(one -> !one.ordered()).findFirst().orElseThrow();
    pod.subscriptions.delete("all");

    assertThat(pod.settler.settle(own, Settlements.eject(row))).isEqualTo(Outcome.SETTLED);

    assertThat(pod.jdbc.sql("select * from dead_letter").query().singleRow())
        .containsEntry("lane_id", null)
        .containsEntry("sequence", null)
        .containsEntry("attempts", 1);
    assertThat(deadLetter("first_attempt_at")).isNotNull();
  }

  @Test
  void goneDisablesTheSubscriptionAndKeepsTheHead() {
    Delivery row = published("e1");

    pod.settler.settle(lease, Settlements.disable(row));

    assertThat(pod.queued(lease)).singleElement().matches(head -> head.attempts() == 1);
    assertThat(pod.count("subscription where state = 'DISABLED' and disabled_reason = 'gone'"))
        .isOne();
    assertThat(pod.count("attempt where verdict = 'GONE' and status = 410")).isOne();
    assertThat(pod.write(Pod.event("acme", "e2", "k")).deliveries()).isEmpty();
  }

  @Test
  void parkedHoldsItsLaneWithTheHeadInIt() {
    Delivery row = published("e1");
    published("e2");

    Settlement park = Settlements.park(row);
    assertThat(pod.settler.settle(lease, park)).isEqualTo(Outcome.SETTLED);
    assertThat(pod.settler.settle(lease, park)).isEqualTo(Outcome.SETTLED);

    assertThat(pod.count("delivery")).isEqualTo(2);
    assertThat(pod.count("attempt where verdict = 'SERVER_ERROR'")).isOne();
    assertThat(pod.jdbc.sql("select * from lane").query().singleRow())
        .containsEntry("state", "HELD")
        .containsEntry("held_by", "POLICY")
        .containsEntry("reason", "failed too often");
    PartitionLog.LaneRows lane =
        pod.log
            .lanes(lease, List.of(new PartitionLog.LaneFrom(row.laneId(), 0)), 5)
            .get(row.laneId());
    assertThat(lane.held()).isTrue();
    assertThat(lane.rows()).extracting(Delivery::attempts).containsExactly(1, 0);
  }

  /** What an operator wrote about a lane is worth more than what the policy would write. */
  @Test
  void parkedLeavesTheReasonOfAnOperator() {
    Delivery row = published("e1");
    pod.jdbc
        .sql(
            "update lane set state = 'HELD', held_by = 'OPERATOR', reason = 'mine', held_at = now()")
        .update();

    pod.settler.settle(lease, Settlements.park(row));

    assertThat(pod.count("lane where held_by = 'OPERATOR' and reason = 'mine'")).isOne();
  }

  @Test
  void pausedKeepsTheHeadAndPausesItsPartitionOnce() {
    Delivery first = published("e1");
    Delivery second = published("e2");

    assertThat(
            pod.settleWriter.write(
                List.of(
                    new Settler.Item(lease, Settlements.pause(first)),
                    new Settler.Item(lease, Settlements.pause(second)))))
        .containsOnly(Outcome.SETTLED);

    assertThat(pod.count("delivery where attempts = 1")).isEqualTo(2);
    assertThat(pod.count("partition where paused_reason = 'failed too often'")).isOne();
    assertThat(pod.count("partition where paused_at is not null and id = " + lease.partition()))
        .isOne();
  }

  /** Its lane was held while it was under way, and its row moved aside. */
  @Test
  void whatStandsAsideIsSettledAllTheSame() {
    Delivery row = published("e1");
    Delivery retried = published("e2");
    Delivery cancelled = published("e3");
    pod.jdbc.sql("update delivery set partition = ~partition").update();

    pod.settler.settle(lease, Settlements.delivered(row));
    pod.settler.settle(lease, Settlements.retry(retried, Duration.ofHours(1)));
    pod.settler.cancel(lease, List.of(cancelled));

    assertThat(pod.count("delivery")).isOne();
    assertThat(pod.count("delivery where attempts = 1 and partition < 0")).isOne();
    assertThat(pod.count("attempt where partition >= 0")).isEqualTo(2);
  }

  /** Two transactions that lock the same lanes: publishers and the one that holds them. */
  @Test
  void parkingManyLanesAndPublishingIntoThemDoNotBlockEachOtherForGood() throws Exception {
    List<Settler.Item> items = new ArrayList<>();
    for (int lane = 0; lane < 40; lane++) {
      pod.write(Pod.event("acme", "first-" + lane, "k" + lane));
    }
    pod.queued(lease).forEach(row -> items.add(new Settler.Item(lease, Settlements.park(row))));
    Collections.shuffle(items, new Random(7));
    List<NewEvent> more = new ArrayList<>();
    for (int lane = 39; lane >= 0; lane--) {
      more.add(Pod.event("acme", "second-" + lane, "k" + lane));
    }

    CompletableFuture<List<PublishResult>> published = Pod.async(() -> pod.writer.write(more));
    CompletableFuture<List<Outcome>> parked = Pod.async(() -> pod.settleWriter.write(items));

    assertThat(published.get(60, TimeUnit.SECONDS)).hasSize(40);
    assertThat(parked.get(60, TimeUnit.SECONDS)).containsOnly(Outcome.SETTLED);
    assertThat(pod.count("lane where state = 'HELD'")).isEqualTo(40);
  }

  @Test
  void goneDoesNotTouchWhatAnOperatorDid() {
    Delivery row = published("e1");
    pod.subscriptions.delete("orders");

    pod.settler.settle(lease, Settlements.disable(row));

    assertThat(pod.count("subscription where state = 'DELETED'")).isOne();
  }

  @Test
  void staleOwnerCannotSettle() {
    Delivery row = published("e1");
    PartitionLease now = pod.acquire(lease.partition());

    for (Settlement stale :
        List.of(
            Settlements.delivered(row),
            Settlements.retry(row, Duration.ofHours(1)),
            Settlements.eject(row),
            Settlements.park(row),
            Settlements.pause(row),
            Settlements.disable(row))) {
      assertThat(pod.settler.settle(lease, stale)).as("%s", stale).isEqualTo(Outcome.FENCED);
    }
    assertThat(pod.settler.cancel(lease, List.of(row))).isEqualTo(Outcome.FENCED);

    assertThat(pod.queued(now)).singleElement().matches(head -> head.attempts() == 0);
    assertThat(pod.count("attempt")).isZero();
    assertThat(pod.count("dead_letter")).isZero();
    assertThat(pod.count("subscription where state = 'ENABLED'")).isOne();
    assertThat(pod.count("lane where state = 'HELD'")).isZero();
    assertThat(pod.count("partition where paused_at is not null")).isZero();
    assertThat(pod.settler.settle(now, Settlements.delivered(row))).isEqualTo(Outcome.SETTLED);
  }

  @Test
  void batchOfSeveralLeasesIsFencedOneByOne() {
    List<PartitionLease> leases = new ArrayList<>();
    List<Settler.Item> items = new ArrayList<>();
    for (String id : List.of("s1", "s2", "s3", "s4", "s5", "s6")) {
      pod.subscriptions.create(id, id, OrderingScope.SUBSCRIPTION);
      pod.write(Pod.event(id, "e1", null));
      pod.write(Pod.event(id, "e2", null));
    }
    for (int partition = 0; partition < Pod.PARTITIONS; partition++) {
      PartitionLease own = pod.acquire(partition);
      leases.add(own);
      pod.queued(own)
          .forEach(
              row ->
                  items.add(
                      new Settler.Item(
                          own,
                          row.sequence() == 1
                              ? Settlements.delivered(row)
                              : Settlements.retry(row, Duration.ZERO))));
    }
    leases.stream()
        .filter(own -> own.partition() % 2 == 0)
        .forEach(own -> pod.acquire(own.partition()));

    List<Outcome> outcomes = pod.settleWriter.write(items);

    assertThat(items).hasSize(12);
    assertThat(outcomes).contains(Outcome.SETTLED, Outcome.FENCED);
    for (int i = 0; i < items.size(); i++) {
      assertThat(outcomes.get(i))
          .isEqualTo(items.get(i).lease().partition() % 2 == 0 ? Outcome.FENCED : Outcome.SETTLED);
    }
    long settled = outcomes.stream().filter(outcome -> outcome == Outcome.SETTLED).count();
    assertThat(pod.count("attempt")).isEqualTo(settled);
    assertThat(pod.count("attempt where partition % 2 = 0")).isZero();
    assertThat(pod.count("delivery where partition % 2 = 1 and sequence = 1")).isZero();
    assertThat(pod.count("delivery where attempts = 1")).isEqualTo(settled / 2);
    assertThat(pod.count("delivery")).isEqualTo(12 - settled / 2);
  }

  /** A former and the present owner of the same partition in one batch. */
  @Test
  void staleAndCurrentEpochOfOnePartitionAreToldApart() {
    Delivery first = published("e1");
    Delivery second = published("e2");
    PartitionLease now = pod.acquire(lease.partition());

    assertThat(
            pod.settleWriter.write(
                List.of(
                    new Settler.Item(lease, Settlements.delivered(first)),
                    new Settler.Item(now, Settlements.delivered(second)))))
        .containsExactly(Outcome.FENCED, Outcome.SETTLED);

    assertThat(pod.queued(now)).extracting(Delivery::id).containsExactly(first.id());
    assertThat(pod.count("attempt")).isOne();
  }

  @Test
  void sameSettlementTwiceWritesOneAttempt() {
    Delivery row = published("e1");
    Settlement retry = Settlements.retry(row, Duration.ofHours(1));

    assertThat(pod.settler.settle(lease, retry)).isEqualTo(Outcome.SETTLED);
    assertThat(pod.settler.settle(lease, retry)).isEqualTo(Outcome.SETTLED);
    assertThat(
            pod.settleWriter.write(
                List.of(new Settler.Item(lease, retry), new Settler.Item(lease, retry))))
        .containsExactly(Outcome.SETTLED, Outcome.SETTLED);
    assertThat(pod.count("attempt")).isOne();
    assertThat(pod.queued(lease)).singleElement().matches(head -> head.attempts() == 1);

    Settlement eject = Settlements.eject(pod.queued(lease).getFirst());
    assertThat(
            pod.settleWriter.write(
                List.of(new Settler.Item(lease, eject), new Settler.Item(lease, eject))))
        .containsExactly(Outcome.SETTLED, Outcome.SETTLED);
    assertThat(pod.settler.settle(lease, eject)).isEqualTo(Outcome.SETTLED);
    assertThat(pod.count("attempt")).isEqualTo(2);
    assertThat(pod.count("dead_letter")).isOne();
  }

  /** A settle holds the partition's row: a claim skips it instead of waiting. */
  @Test
  void claimSkipsAPartitionThatIsBeingSettled() throws SQLException {
    Delivery row = published("e1");
    try (Connection settling = database.dataSource(1).getConnection()) {
      settling.setAutoCommit(false);
      settler(settling).write(List.of(new Settler.Item(lease, Settlements.delivered(row))));

      assertThat(claimAll()).doesNotContain(lease.partition()).hasSize(Pod.PARTITIONS - 1);

      settling.commit();
    }
    assertThat(claimAll()).contains(lease.partition());
  }

  /** A renewal must never wait for settles, nor they for it. */
  @Test
  void renewalAndSettleDoNotWaitForEachOther() throws SQLException {
    Delivery row = published("e1");
    try (Connection settling = database.dataSource(1).getConnection()) {
      settling.setAutoCommit(false);
      settler(settling).write(List.of(new Settler.Item(lease, Settlements.delivered(row))));
      pod.jdbc
          .sql("update partition set lease_until = clock_timestamp() + interval '1 minute'")
          .update();
      settling.rollback();
      settling.createStatement().executeUpdate("update partition set lease_until = now()");

      assertThat(pod.settler.settle(lease, Settlements.delivered(row))).isEqualTo(Outcome.SETTLED);
      settling.commit();
    }
  }

  /** A claim that has not committed yet: the settle waits for it and then finds itself fenced. */
  @Test
  void settleWaitsForAClaimUnderWayAndIsFenced() throws SQLException {
    Delivery row = published("e1");
    Delivery kept = published("e2");
    try (Connection claiming = database.dataSource(1).getConnection()) {
      claiming.setAutoCommit(false);
      claiming.createStatement().executeUpdate(CLAIM_ALL);
      CompletableFuture<List<Outcome>> settle =
          Pod.async(
              () ->
                  pod.settleWriter.write(
                      List.of(
                          new Settler.Item(lease, Settlements.delivered(row)),
                          new Settler.Item(lease, Settlements.retry(kept, Duration.ZERO)))));
      pod.awaitBlocked(1);
      CompletableFuture<Outcome> cancel = Pod.async(() -> pod.settler.cancel(lease, List.of(row)));
      pod.awaitBlocked(2);

      claiming.commit();

      assertThat(settle.join()).containsExactly(Outcome.FENCED, Outcome.FENCED);
      assertThat(cancel.join()).isEqualTo(Outcome.FENCED);
    }
    assertThat(pod.count("delivery where attempts = 0")).isEqualTo(2);
    assertThat(pod.count("attempt")).isZero();
  }

  /** A claim that comes to nothing fences nobody. */
  @Test
  void settleGoesOnAfterAClaimThatIsRolledBack() throws SQLException {
    Delivery row = published("e1");
    try (Connection claiming = database.dataSource(1).getConnection()) {
      claiming.setAutoCommit(false);
      claiming.createStatement().executeUpdate(CLAIM_ALL);
      CompletableFuture<Outcome> settle =
          Pod.async(() -> pod.settler.settle(lease, Settlements.delivered(row)));
      pod.awaitBlocked(1);
      claiming.rollback();

      assertThat(settle.join()).isEqualTo(Outcome.SETTLED);
    }
    assertThat(pod.count("delivery")).isZero();
  }

  @Test
  void cancelTakesDeliveriesOutUnsent() {
    Delivery first = published("e1");
    Delivery second = published("e2");
    Delivery third = published("e3");

    assertThat(pod.settler.cancel(lease, List.of(first, third))).isEqualTo(Outcome.SETTLED);
    assertThat(pod.settler.cancel(lease, List.of(first, third))).isEqualTo(Outcome.SETTLED);

    assertThat(pod.queued(lease)).extracting(Delivery::id).containsExactly(second.id());
    assertThat(pod.count("attempt")).isZero();
    assertThat(pod.count("dead_letter")).isZero();
  }

  @Test
  void settleOfWhatHasBeenCancelledChangesNothing() {
    Delivery row = published("e1");
    pod.settler.cancel(lease, List.of(row));

    assertThat(pod.settler.settle(lease, Settlements.delivered(row))).isEqualTo(Outcome.SETTLED);
    assertThat(pod.settler.settle(lease, Settlements.eject(row))).isEqualTo(Outcome.SETTLED);

    assertThat(pod.count("attempt")).isZero();
    assertThat(pod.count("dead_letter")).isZero();
  }

  /** As {@code LeaseStore} claims, whether free or not. */
  private static final String CLAIM_ALL =
      """
      update partition p set epoch = p.epoch + 1, owner = gen_random_uuid()
      from (select id from partition for update skip locked) free
      where p.id = free.id
      """;

  private List<Integer> claimAll() {
    return pod.jdbc.sql(CLAIM_ALL + " returning p.id").query(Integer.class).list();
  }

  private SettleWriter settler(Connection connection) {
    return new SettleWriter(
        JdbcClient.create(new SingleConnectionDataSource(connection, true)),
        new WorkerName("other"));
  }

  /** Publishes an event and finds its delivery in the partition. */
  private Delivery published(String id) {
    pod.write(Pod.event("acme", id, "k"));
    return pod.queued(lease).getLast();
  }

  private <T> T column(String name, Class<T> type) {
    return pod.jdbc.sql("select " + name + " from delivery").query(type).single();
  }

  private OffsetDateTime deadLetter(String name) {
    return pod.jdbc
        .sql("select " + name + " from dead_letter")
        .query(OffsetDateTime.class)
        .single();
  }
}
