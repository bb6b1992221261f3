package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.PartitionLog.LaneFrom;
import dev.seriatim.subscription.OrderingScope;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link PartitionLog} and {@link PartitionCursor} on what PostgreSQL really lets be seen. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PartitionLogIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final Pod pod = new Pod(database);
  private final long subscription =
      pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
  private final PartitionLease lease = pod.acquire(pod.partition("orders"));
  private final PartitionCursor cursor = new PartitionCursor(pod.log, lease, pod.clock, 10);

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  /** A publish transaction that has done everything but commit. */
  private final class Stalled implements AutoCloseable {
    private final CountDownLatch gate = new CountDownLatch(1);
    private final Pod own = new Pod(database, 1);
    private final CompletableFuture<?> result;

    Stalled(String id, int events) {
      CountDownLatch written = new CountDownLatch(1);
      own.beforeCommit =
          () -> {
            written.countDown();
            awaitUninterruptibly(gate);
          };
      result =
          Pod.async(
              () ->
                  own.writer.write(
                      IntStream.range(0, events)
                          .mapToObj(i -> Pod.event("acme", id + "-" + i, id + "-" + i))
                          .toList()));
      awaitUninterruptibly(written);
    }

    void commit() {
      gate.countDown();
      result.join();
    }

    @Override
    public void close() {
      gate.countDown();
      own.close();
    }
  }

  /** Case O5. */
  @Test
  void transactionThatCommitsLateIsSweptNotSkipped() {
    try (Stalled slow = new Stalled("slow", 1)) {
      pod.write(Pod.event("acme", "quick", "q"));
      List<Delivery> first = cursor.forward();
      assertThat(names(first)).containsExactly("quick");
      assertThat(cursor.sweepAt()).hasValue(pod.clock.nanos());
      assertThat(names(cursor.sweep())).containsExactly("quick");
      assertThat(cursor.sweepAt()).isPresent();

      slow.commit();

      assertThat(cursor.forward()).as("it is not ahead").isEmpty();
      assertThat(names(cursor.sweep())).containsExactly("slow-0", "quick");
      sweepUntilThereIsNoGap();
      assertThat(pod.log.news(Map.of(lease.partition(), cursor.seen()))).isEmpty();
    }
  }

  /** Case O5. */
  @Test
  void lateTransactionOfSeveralPagesIsSweptWhole() {
    try (Stalled slow = new Stalled("slow", 25)) {
      pod.write(Pod.event("acme", "quick", "q"));
      assertThat(names(cursor.forward())).containsExactly("quick");
      slow.commit();

      assertThat(sweepUntilThereIsNoGap()).hasSize(26);
    }
  }

  /** Case O5. */
  @Test
  void rewindReadsAllAgainAndStillSweeps() {
    try (Stalled slow = new Stalled("slow", 1)) {
      pod.write(Pod.event("acme", "quick", "q"));
      assertThat(names(cursor.forward())).containsExactly("quick");
      cursor.rewind();
      assertThat(names(cursor.forward())).containsExactly("quick");

      slow.commit();

      assertThat(names(cursor.sweep())).containsExactly("slow-0", "quick");
    }
  }

  /** Seeded: several connections write, stall, commit and roll back, while a cursor reads. */
  @Test
  void everyCommittedRowIsReadInEveryInterleaving() throws Exception {
    for (long seed = 1; seed <= 15; seed++) {
      try (RandomWriters writers = new RandomWriters(database, lease.partition(), seed)) {
        PartitionCursor own = new PartitionCursor(pod.log, lease, pod.clock, 3);
        Set<Long> read = new HashSet<>();
        Random random = new Random(seed);
        for (int step = 0; step < 80; step++) {
          writers.step();
          if (random.nextInt(3) == 0) {
            ids(own.forward(), read);
          }
          if (random.nextInt(4) == 0 && own.sweepAt().isPresent()) {
            ids(own.sweep(), read);
          }
        }
        writers.commitAll();
        while (own.sweepAt().isPresent()
            || !pod.log.news(Map.of(lease.partition(), own.seen())).isEmpty()) {
          ids(own.forward(), read);
          if (own.sweepAt().isPresent()) {
            ids(own.sweep(), read);
          }
        }
        assertThat(read).as("seed %d", seed).containsAll(writers.committed());
      }
    }
  }

  @Test
  void pageIsOfOnePartitionInOrderOfPlace() {
    otherSubscriptionOfThePartition();
    for (int i = 0; i < 4; i++) {
      pod.write(Pod.event("acme", "e" + i, "k"));
    }

    List<Delivery> all = pod.queued(lease);
    assertThat(all).hasSize(8).isSortedAccordingTo((a, b) -> Place.of(a).compareTo(Place.of(b)));
    assertThat(pod.log.page(lease, Place.of(all.get(2)), 3).deliveries())
        .extracting(Delivery::id)
        .isEqualTo(all.subList(3, 6).stream().map(Delivery::id).toList());
    assertThat(pod.log.page(lease, Place.of(all.get(2)).before(), 1).deliveries())
        .extracting(Delivery::id)
        .containsExactly(all.get(2).id());
    PartitionLease empty = pod.acquire((lease.partition() + 1) % Pod.PARTITIONS);
    assertThat(pod.queued(empty)).isEmpty();
    assertThat(pod.log.page(empty, Place.START, 1).xmin()).isPositive();
  }

  @Test
  void lanesAreReadFromASequenceOnWithSmallContent() {
    byte[] small = new byte[2000];
    byte[] large = new byte[2001];
    for (int i = 1; i <= 5; i++) {
      pod.writer.write(
          List.of(
              new NewEvent("acme", "a" + i, "t.x", "a", "text/plain", i == 3 ? large : small),
              Pod.event("acme", "b" + i, "b")));
    }
    long a = lane("a");
    long b = lane("b");

    Map<Long, PartitionLog.LaneRows> lanes =
        pod.log.lanes(
            lease, List.of(new LaneFrom(a, 2), new LaneFrom(b, 5), new LaneFrom(99, 1)), 3);

    assertThat(lanes).containsOnlyKeys(a, b);
    assertThat(lanes.get(a).rows()).extracting(Delivery::sequence).containsExactly(2L, 3L, 4L);
    assertThat(lanes.get(b).rows()).extracting(Delivery::sequence).containsExactly(5L);
    DeliveryContent content = lanes.get(a).rows().getFirst().content();
    assertThat(content.eventId()).isEqualTo("a2");
    assertThat(content.type()).isEqualTo("t.x");
    assertThat(content.contentType()).isEqualTo("text/plain");
    assertThat(content.key()).isEqualTo("a");
    assertThat(content.payload()).isEqualTo(small);
    Delivery big = lanes.get(a).rows().get(1);
    assertThat(big.content()).as("read when it is sent").isNull();
    assertThat(pod.contents.content(big).payload()).isEqualTo(large);
    assertThat(pod.contents.content(lanes.get(a).rows().getFirst())).isSameAs(content);
  }

  @Test
  void timesComeAsDurationsFromTheDatabase() {
    pod.write(Pod.event("acme", "e1", "k"));
    pod.write(Pod.event("acme", "e2", "l"));
    pod.jdbc
        .sql(
            """
            update delivery set attempts = 3, next_attempt_at = clock_timestamp() + interval '1 hour',
              first_attempt_at = clock_timestamp() - interval '2 hours'
            where sequence = 1 and lane_id = :lane""")
        .param("lane", lane("k"))
        .update();

    long now = pod.clock.nanos();
    Delivery waiting = pod.queued(lease).get(0);
    Delivery fresh = pod.queued(lease).get(1);

    assertThat(waiting.attempts()).isEqualTo(3);
    assertThat(Duration.ofNanos(waiting.dueAt() - now))
        .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
    assertThat(Duration.ofNanos(now - waiting.headSince()))
        .isBetween(Duration.ofMinutes(120), Duration.ofMinutes(121));
    assertThat(fresh.dueAt()).isEqualTo(now);
    assertThat(fresh.headSince()).isNull();
    pod.jdbc
        .sql("update delivery set next_attempt_at = clock_timestamp() - interval '1 day'")
        .update();
    assertThat(pod.queued(lease).get(0).dueAt()).as("overdue is due").isEqualTo(now);
  }

  @Test
  void newsNamesThePartitionsThatHaveSomethingBehindThePlace() {
    pod.write(Pod.event("acme", "e1", "k"));
    Place last = Place.of(pod.queued(lease).getLast());
    int other = (lease.partition() + 1) % Pod.PARTITIONS;

    assertThat(pod.log.news(Map.of(lease.partition(), Place.START, other, Place.START)))
        .containsExactly(lease.partition());
    assertThat(pod.log.news(Map.of(lease.partition(), last.before())))
        .containsExactly(lease.partition());
    assertThat(pod.log.news(Map.of(lease.partition(), last))).isEmpty();
    assertThat(pod.log.news(Map.of())).isEmpty();
  }

  @Test
  void contentOfADeliveryWithoutEventFailsAlone() {
    pod.write(Pod.event("acme", "e1", "k"));
    pod.write(Pod.event("acme", "e2", "k"));
    List<Delivery> rows = pod.queued(lease);
    pod.jdbc.sql("delete from event where id = 'e1'").update();

    List<CompletableFuture<DeliveryContent>> contents =
        rows.stream().map(row -> Pod.async(() -> pod.contents.content(row))).toList();

    assertThat(contents.get(0).handle((content, failure) -> failure).join())
        .hasMessageContaining("the event of delivery " + rows.get(0).id() + " is missing");
    assertThat(contents.get(1).join().eventId()).isEqualTo("e2");
  }

  private long otherSubscriptionOfThePartition() {
    String id =
        IntStream.iterate(0, i -> i + 1)
            .mapToObj(i -> "other-" + i)
            .filter(name -> pod.partition(name) == lease.partition())
            .findFirst()
            .orElseThrow();
    return pod.subscriptions.create(id, "acme", OrderingScope.SUBSCRIPTION);
  }

  private long lane(String key) {
    return pod.jdbc
        .sql("select id from lane where key = :key and subscription_pk = :pk")
        .param("key", key)
        .param("pk", subscription)
        .query(Long.class)
        .single();
  }

  /** One sweep is enough, unless the server itself (such as autovacuum) has a transaction open. */
  private Set<String> sweepUntilThereIsNoGap() {
    Set<String> swept = new HashSet<>();
    while (cursor.sweepAt().isPresent()) {
      swept.addAll(names(cursor.sweep()));
    }
    return swept;
  }

  private List<String> names(List<Delivery> rows) {
    return rows.stream().map(row -> pod.contents.content(row).eventId()).toList();
  }

  private static void ids(List<Delivery> rows, Set<Long> into) {
    rows.forEach(row -> into.add(row.id()));
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
