package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.PublishResult.Accepted;
import dev.seriatim.queue.PublishResult.Routed;
import dev.seriatim.subscription.OrderingScope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;

/** {@link EventWriter} and {@link GroupPublisher}. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PublishIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final Pod pod = new Pod(database);
  private final Pod other = new Pod(database);

  @AfterEach
  void close() {
    pod.close();
    other.close();
    database.close();
  }

  /** Case O4. */
  @Test
  void fiftyConcurrentFirstPublishesOfAKeyAllSucceed() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);

    List<List<PublishResult>> results =
        Pod.all(
            together(50, i -> pod.publisher.publish(List.of(Pod.event("acme", "e" + i, "new")))));

    assertThat(results.stream().map(List::getFirst).map(PublishIntegrationTests::sequence))
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
    assertLaneIsDense("new", 50);
  }

  /** Case O4, with every publish a transaction of its own, half of them in another pod. */
  @Test
  void fiftyConcurrentFirstTransactionsOfAKeyInTwoPodsAllSucceed() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);

    List<Accepted> results =
        Pod.all(
            together(50, i -> (i % 2 == 0 ? pod : other).write(Pod.event("acme", "e" + i, "new"))));

    assertThat(results.stream().map(PublishIntegrationTests::sequence))
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
    assertLaneIsDense("new", 50);
  }

  /** Both wait for the lane in the middle; then each would want what the other one has. */
  @Test
  void batchesThatNameTheSameLanesInOppositeOrderDoNotDeadlock() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
    pod.write(Pod.event("acme", "e0", "m"));

    List<List<PublishResult>> results =
        inOppositeOrder(
            Pod.event("acme", "e1", "m"),
            Stream.of("a", "m", "z").map(key -> Pod.event("acme", "up-" + key, key)).toList(),
            Stream.of("z", "m", "a").map(key -> Pod.event("acme", "down-" + key, key)).toList());

    assertThat(results.get(0)).extracting(PublishIntegrationTests::sequence).containsExactly(2L);
    assertThat(results.get(1))
        .extracting(PublishIntegrationTests::sequence)
        .containsExactly(1L, 3L, 1L);
    assertThat(results.get(2))
        .extracting(PublishIntegrationTests::sequence)
        .containsExactly(2L, 4L, 2L);
  }

  /** Likewise when it is the same events that they store. */
  @Test
  void batchesThatNameTheSameEventsInOppositeOrderDoNotDeadlock() {
    List<NewEvent> events =
        Stream.of("a", "m", "z").map(id -> Pod.event("acme", id, null)).toList();

    List<List<PublishResult>> results = inOppositeOrder(events.get(1), events, events.reversed());

    assertThat(results.stream().flatMap(List::stream).filter(result -> !duplicate(result)))
        .hasSize(3);
    assertThat(pod.count("event")).isEqualTo(3);
  }

  @Test
  void eightWritersOfTheSameEventsStoreEachOnce() {
    pod.subscriptions.create("orders", "acme", OrderingScope.NONE);
    List<NewEvent> events =
        IntStream.range(0, 100).mapToObj(i -> Pod.event("acme", "e" + i, null)).toList();

    List<List<PublishResult>> results =
        Pod.all(
            together(
                8,
                i -> (i % 2 == 0 ? pod : other).writer.write(i < 4 ? events : events.reversed())));

    assertThat(results.stream().flatMap(List::stream).filter(result -> !duplicate(result)))
        .hasSize(100);
    assertThat(pod.count("event")).isEqualTo(100);
    assertThat(pod.count("delivery")).isEqualTo(100);
  }

  /** A pod stalls before it commits; behind it two others come to wait, and then it commits. */
  private List<List<PublishResult>> inOppositeOrder(
      NewEvent stalled, List<NewEvent> up, List<NewEvent> down) {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    try (Pod third = new Pod(database, 1)) {
      third.beforeCommit =
          () -> {
            written.countDown();
            awaitUninterruptibly(gate);
          };
      List<CompletableFuture<List<PublishResult>>> writes = new ArrayList<>();
      writes.add(Pod.async(() -> third.writer.write(List.of(stalled))));
      awaitUninterruptibly(written);
      writes.add(Pod.async(() -> pod.writer.write(up)));
      pod.awaitBlocked(1);
      writes.add(Pod.async(() -> other.writer.write(down)));
      pod.awaitBlocked(2);
      gate.countDown();
      return Pod.all(writes);
    }
  }

  @Test
  void sameEventTwiceIsStoredOnce() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
    Accepted first = pod.write(Pod.event("acme", "e1", "k"));

    Accepted again = other.write(Pod.event("acme", "e1", "k"));

    assertThat(first.duplicate()).isFalse();
    assertThat(again.duplicate()).isTrue();
    assertThat(again.deliveries())
        .isEqualTo(first.deliveries())
        .containsExactly(new Routed("orders", "k", 1L, pod.partition("orders")));
    assertThat(pod.count("event")).isOne();
    assertThat(pod.count("delivery")).isOne();
    assertThat(sequence(pod.write(Pod.event("acme", "e2", "k")))).isEqualTo(2);
  }

  @Test
  void sameIdWithOtherContentIsAConflict() {
    pod.write(Pod.event("acme", "e1", "k"));

    assertThat(pod.writer.write(List.of(Pod.event("acme", "e1", "k", "{}"))))
        .containsExactly(new PublishResult.Conflict("acme", "e1"));
    assertThat(pod.writer.write(List.of(Pod.event("acme", "e1", null))))
        .containsExactly(new PublishResult.Conflict("acme", "e1"));
    assertThat(pod.write(Pod.event("other", "e1", "k")).duplicate()).isFalse();
    assertThat(pod.count("event")).isEqualTo(2);
  }

  /** Case H10. */
  @Test
  void duplicatesInsideOneBatchAreFound() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
    NewEvent event = Pod.event("acme", "e1", "k");

    List<PublishResult> results =
        pod.publisher.publish(
            List.of(
                event,
                Pod.event("acme", "e2", "k"),
                Pod.event("acme", "e1", "k"),
                event,
                Pod.event("acme", "e1", "k", "other"),
                Pod.event("acme", "e3", "k")));

    assertThat(results).hasSize(6);
    assertThat(results.get(4)).isEqualTo(new PublishResult.Conflict("acme", "e1"));
    assertThat(Stream.of(0, 1, 2, 3, 5).map(i -> ((Accepted) results.get(i)).duplicate()))
        .containsExactly(false, false, true, true, false);
    assertThat(Stream.of(0, 1, 2, 3, 5).map(i -> sequence(results.get(i))))
        .containsExactly(1L, 2L, 1L, 1L, 3L);
    assertLaneIsDense("k", 3);
  }

  @ParameterizedTest
  @EnumSource(
      value = OrderingScope.class,
      names = {"RESOURCE", "NONE"})
  void sameEventInTwoPodsAtOnceIsStoredOnceAndAnsweredAlike(OrderingScope ordering)
      throws Exception {
    pod.subscriptions.create("orders", "acme", ordering);
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    pod.beforeCommit =
        () -> {
          written.countDown();
          awaitUninterruptibly(gate);
        };
    CompletableFuture<Accepted> first = Pod.async(() -> pod.write(Pod.event("acme", "e1", "k")));
    assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Accepted> second = Pod.async(() -> other.write(Pod.event("acme", "e1", "k")));
    CompletableFuture<List<PublishResult>> conflicting =
        Pod.async(() -> other.writer.write(List.of(Pod.event("acme", "e1", "k", "other"))));
    other.awaitBlocked(2);

    gate.countDown();

    List<Accepted> accepted = Pod.all(List.of(first, second));
    assertThat(accepted).extracting(Accepted::duplicate).containsExactly(false, true);
    assertThat(accepted.get(1).deliveries()).isEqualTo(accepted.get(0).deliveries()).hasSize(1);
    assertThat(conflicting.join()).containsExactly(new PublishResult.Conflict("acme", "e1"));
    assertThat(pod.count("delivery")).isOne();
    if (ordering == OrderingScope.RESOURCE) {
      assertThat(sequence(pod.write(Pod.event("acme", "e2", "k")))).isEqualTo(2);
    }
  }

  @Test
  void repeatIsAnsweredLikeTheFirstTimeWhateverHappenedSince() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
    pod.subscriptions.create("all", "acme", OrderingScope.NONE);
    Accepted first = pod.write(Pod.event("acme", "e1", "k"));
    pod.jdbc.sql("delete from delivery").update();
    pod.subscriptions.delete("orders");
    pod.subscriptions.create("new", "acme", OrderingScope.SUBSCRIPTION);

    Accepted again = pod.write(Pod.event("acme", "e1", "k"));

    assertThat(again.duplicate()).isTrue();
    assertThat(again.deliveries()).isEqualTo(first.deliveries()).hasSize(2);
    assertThat(pod.count("delivery")).isZero();
  }

  @Test
  void subscriptionCreatedJustBeforeIsMatched() {
    for (int i = 1; i <= 20; i++) {
      pod.subscriptions.create("s" + i, "acme", OrderingScope.SUBSCRIPTION);
      assertThat(
              ((Accepted)
                      other.publisher.publish(List.of(Pod.event("acme", "e" + i, null))).getFirst())
                  .deliveries())
          .hasSize(i);
    }
  }

  @Test
  void onlyEnabledSubscriptionsOfTheTenantThatWantTheTypeMatch() {
    pod.subscriptions.create("a-paid", "acme", OrderingScope.SUBSCRIPTION, "order.paid");
    pod.subscriptions.create("b-orders", "acme", OrderingScope.SUBSCRIPTION, "order.*");
    pod.subscriptions.create("c-other", "acme", OrderingScope.SUBSCRIPTION, "invoice.*");
    pod.subscriptions.create("d-disabled", "acme", OrderingScope.SUBSCRIPTION);
    pod.subscriptions.disable("d-disabled");
    pod.subscriptions.create("e-deleted", "acme", OrderingScope.SUBSCRIPTION);
    pod.subscriptions.delete("e-deleted");
    pod.subscriptions.create("f-foreign", "other", OrderingScope.SUBSCRIPTION);

    assertThat(pod.write(Pod.event("acme", "e1", null)).deliveries())
        .extracting(Routed::subscription)
        .containsExactly("a-paid", "b-orders");
    assertThat(pod.write(Pod.event("nobody", "e1", null)).deliveries()).isEmpty();
  }

  @Test
  void tenantLaneIsSharedByItsSubscriptions() {
    pod.subscriptions.create("a", "acme", OrderingScope.TENANT);
    pod.subscriptions.create("b", "acme", OrderingScope.TENANT);
    pod.subscriptions.create("c", "acme", OrderingScope.SUBSCRIPTION);
    pod.subscriptions.create("a2", "other", OrderingScope.TENANT);
    int partition = pod.partition("acme");

    assertThat(pod.write(Pod.event("acme", "e1", "x")).deliveries())
        .containsExactly(
            new Routed("a", "acme", 1L, partition),
            new Routed("b", "acme", 2L, partition),
            new Routed("c", "c", 1L, pod.partition("c")));
    assertThat(pod.write(Pod.event("acme", "e2", "y")).deliveries())
        .extracting(Routed::sequence)
        .containsExactly(3L, 4L, 2L);
    assertThat(pod.write(Pod.event("other", "e1", "x")).deliveries())
        .containsExactly(new Routed("a2", "other", 1L, pod.partition("other")));
    assertThat(pod.count("lane")).isEqualTo(3);
  }

  @Test
  void withoutOrderThereIsNeitherKeyNorSequenceNorLane() {
    pod.subscriptions.create("all", "acme", OrderingScope.NONE);

    assertThat(pod.write(Pod.event("acme", "e1", "x")).deliveries())
        .containsExactly(new Routed("all", null, null, pod.partition("all")));
    assertThat(pod.count("lane")).isZero();
    PartitionLease lease = pod.acquire(pod.partition("all"));
    assertThat(pod.queued(lease)).singleElement().matches(row -> !row.ordered());
  }

  /** Case O8. */
  @Test
  void emptyResourceHasALaneOfItsOwn() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);

    Stream.of("", null, "Zo\u00eb", "Zoe\u0308")
        .forEach(
            resource ->
                assertThat(sequence(pod.write(Pod.event("acme", "e-" + resource, resource))))
                    .isOne());
    assertThat(sequence(pod.write(Pod.event("acme", "again", "")))).isEqualTo(2);
    assertThat(pod.count("lane")).isEqualTo(4);
  }

  @Test
  void payloadIsStoredByteForByte() {
    pod.subscriptions.create("orders", "acme", OrderingScope.NONE);
    byte[] odd = new byte[256];
    for (int i = 0; i < odd.length; i++) {
      odd[i] = (byte) i;
    }
    List<byte[]> payloads =
        List.of(
            odd,
            new byte[0],
            "{\"z\":1,\"a\":1.0,\"z\":\"\\u0000\"}\n".getBytes(StandardCharsets.UTF_8));
    List<NewEvent> events = new ArrayList<>();
    for (byte[] payload : payloads) {
      events.add(new NewEvent("acme", "e" + events.size(), "t", null, "a/b", payload));
    }

    pod.writer.write(events);

    PartitionLease lease = pod.acquire(pod.partition("orders"));
    List<byte[]> read =
        pod.queued(lease).stream().map(row -> pod.contents.content(row).payload()).toList();
    assertThat(read).hasSize(3);
    for (int i = 0; i < read.size(); i++) {
      assertThat(read.get(i)).as("payload %d", i).isEqualTo(payloads.get(i));
    }
  }

  @Test
  void requestThatCannotBeStoredFailsAlone() {
    pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    pod.beforeCommit =
        () -> {
          busy.countDown();
          awaitUninterruptibly(gate);
        };
    CompletableFuture<List<PublishResult>> first =
        Pod.async(() -> pod.publisher.publish(List.of(Pod.event("acme", "e0", "k"))));
    awaitUninterruptibly(busy);
    List<CompletableFuture<List<PublishResult>>> all =
        Stream.of("e1", "NUL \0", "e2")
            .map(id -> Pod.async(() -> pod.publisher.publish(List.of(Pod.event("acme", id, "k")))))
            .toList();

    gate.countDown();

    assertThat(sequence(first.join().getFirst())).isOne();
    assertThat(sequence(all.get(0).join().getFirst())).isBetween(2L, 3L);
    assertThat(sequence(all.get(2).join().getFirst())).isBetween(2L, 3L);
    assertThatThrownBy(() -> all.get(1).join()).hasCauseInstanceOf(DataAccessException.class);
    assertLaneIsDense("k", 3);
  }

  @Test
  void ownersOfWhatIsNewAreWokenAfterTheCommit() {
    pod.subscriptions.create("a", "acme", OrderingScope.SUBSCRIPTION);
    List<String> woken = new CopyOnWriteArrayList<>();
    pod.wakeUps.listen(partition -> woken.add(partition + " sees " + pod.count("delivery")));

    pod.publisher.publish(List.of(Pod.event("acme", "e1", null), Pod.event("acme", "e2", null)));
    assertThat(woken).containsExactly(pod.partition("a") + " sees 2");

    pod.publisher.publish(List.of(Pod.event("acme", "e1", null)));
    pod.publisher.publish(List.of(Pod.event("nobody", "e1", null)));
    assertThat(pod.publisher.publish(List.of())).isEmpty();
    assertThat(woken).hasSize(1);
  }

  /** Case W12: whoever publishes, settles or reads needs one connection at a time. */
  @Test
  void twoConnectionsAreEnoughForFiftyThreads() {
    try (Pod small = new Pod(database, 2)) {
      small.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
      PartitionLease lease = small.acquire(small.partition("orders"));

      List<Integer> settled =
          Pod.all(
              together(
                  50,
                  i -> {
                    int done = 0;
                    for (int n = 0; n < 10; n++) {
                      small.publisher.publish(
                          List.of(Pod.event("acme", "e" + i + "-" + n, "k" + i)));
                      for (Delivery row : laneRows(small, lease, "k" + i)) {
                        small.contents.content(row.withoutContent());
                        Settler.Outcome outcome =
                            small.settler.settle(lease, Settlements.delivered(row));
                        assertThat(outcome).isEqualTo(Settler.Outcome.SETTLED);
                        done++;
                      }
                    }
                    return done;
                  }));

      assertThat(settled).containsOnly(10);
      assertThat(small.count("delivery")).isZero();
      assertThat(small.count("attempt")).isEqualTo(500);
    }
  }

  private static List<Delivery> laneRows(Pod pod, PartitionLease lease, String key) {
    long lane =
        pod.jdbc
            .sql("select id from lane where key = :key")
            .param("key", key)
            .query(Long.class)
            .single();
    PartitionLog.LaneRows found =
        pod.log.lanes(lease, List.of(new PartitionLog.LaneFrom(lane, 1)), 10).get(lane);
    return found == null ? List.of() : found.rows();
  }

  private void assertLaneIsDense(String key, int count) {
    List<Long> sequences =
        pod.jdbc
            .sql(
                "select sequence from delivery d join lane l on l.id = d.lane_id where l.key = :key order by sequence")
            .param("key", key)
            .query(Long.class)
            .list();
    assertThat(sequences).isEqualTo(LongStream.rangeClosed(1, count).boxed().toList());
    assertThat(Set.copyOf(sequences)).hasSize(count);
    assertThat(pod.count("lane where key = '" + key + "'")).isOne();
  }

  private interface Indexed<T> {
    T run(int index);
  }

  /** Starts the work so many times as close together as threads can. */
  private static <T> List<CompletableFuture<T>> together(int threads, Indexed<T> work) {
    CountDownLatch start = new CountDownLatch(threads);
    return IntStream.range(0, threads)
        .mapToObj(
            i ->
                Pod.async(
                    () -> {
                      start.countDown();
                      awaitUninterruptibly(start);
                      return work.run(i);
                    }))
        .toList();
  }

  private static boolean duplicate(PublishResult result) {
    return ((Accepted) result).duplicate();
  }

  private static long sequence(PublishResult result) {
    return ((Accepted) result).deliveries().getFirst().sequence();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("nobody opened the gate within a minute");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
