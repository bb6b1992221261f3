package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.operations.Job.State;
import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.TestQueue;
import dev.seriatim.subscription.OrderingScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many that come back, in steps. */
@Timeout(120)
class JobIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final ReplayPod pod = new ReplayPod(database);
  private final TestQueue queue = pod.queue;

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  /** Events e0, e1, … in batches, over three lanes, as their producers happened to send them. */
  private void publish(int batches, int each) {
    Random random = new Random(42);
    for (int batch = 0; batch < batches; batch++) {
      int first = batch * each;
      List<NewEvent> events =
          new ArrayList<>(
              IntStream.range(first, first + each)
                  .mapToObj(n -> TestQueue.event("acme", "e" + n, "r" + n % 3))
                  .toList());
      // Events are stored by their ids: their times say nothing of their order in the lane.
      Collections.shuffle(events, random);
      queue.publish(events);
    }
  }

  private long replayAll(Replay as, DeadLetterFilter filter) {
    long upTo = pod.rows.last();
    return pod.jobs
        .create(
            JobKind.REPLAY_DEAD_LETTERS,
            new DeadLetterJob.Parameters(filter, as, upTo),
            pod.rows.count(filter, upTo))
        .id();
  }

  private RangeJob.Parameters range(Replay as, @Nullable List<String> types) {
    long pk = queue.jdbc.sql("select pk from subscription").query(Long.class).single();
    return new RangeJob.Parameters(
        "s", pk, pod.rangeEvents.now().minusSeconds(3600), pod.rangeEvents.now(), types, as);
  }

  private static List<Long> fromTo(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  @Test
  void deadLettersComeBackLaneByLaneInSequence() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(6, 210);
    queue.ejectAll();

    long id = replayAll(Replay.ORIGINAL, DeadLetterFilter.ALL);
    assertThat(pod.job(id).total()).isEqualTo(1260);
    assertThat(pod.workOff()).isEqualTo(3);

    Job job = pod.job(id);
    assertThat(job.state()).isEqualTo(State.DONE);
    assertThat(job.done()).isEqualTo(1260);
    assertThat(job.skipped()).isZero();
    assertThat(queue.count("dead_letter")).isZero();
    assertThat(pod.cameBack())
        .isEqualTo(Map.of("r0", fromTo(1, 420), "r1", fromTo(1, 420), "r2", fromTo(1, 420)));
  }

  @Test
  void copiesAreInTheOrderOfTheirOriginals() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(2, 600);
    queue.ejectAll();

    replayAll(Replay.NEW, DeadLetterFilter.ALL);
    pod.workOff();

    assertThat(originalsInOrderOfCopies())
        .isEqualTo(Map.of("r0", fromTo(1, 400), "r1", fromTo(1, 400), "r2", fromTo(1, 400)));
  }

  /** By lane: the sequences that the events had, in the order of their copies. */
  private Map<String, List<Long>> originalsInOrderOfCopies() {
    return queue
        .jdbc
        .sql(
            """
            select l.key, array_agg((e.deliveries -> 0 ->> 'sequence')::bigint order by d.sequence) as originals
            from delivery d join lane l on l.id = d.lane_id join event e on e.pk = d.event_pk
            where d.replay = 'NEW'
            group by l.key
            """)
        .query(
            rows -> {
              Map<String, List<Long>> lanes = new TreeMap<>();
              while (rows.next()) {
                lanes.put(
                    rows.getString("key"), List.of((Long[]) rows.getArray("originals").getArray()));
              }
              return lanes;
            });
  }

  @Test
  void filterTakesOneLaneAndLeavesTheRest() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(1, 30);
    queue.ejectAll();

    replayAll(Replay.ORIGINAL, DeadLetterFilter.of(null, "s", "r1", null, null, null));
    pod.workOff();

    assertThat(pod.cameBack()).isEqualTo(Map.of("r1", fromTo(1, 10)));
    assertThat(queue.count("dead_letter")).isEqualTo(20);
  }

  @Test
  void whatIsGivenUpAgainMeanwhileIsLeftAlone() {
    queue.subscriptions.create("s", "acme", OrderingScope.NONE);
    publish(2, 400);
    queue.ejectAll();

    long id = replayAll(Replay.ORIGINAL, DeadLetterFilter.ALL);
    assertThat(pod.runner.step()).isTrue();
    queue.ejectAll();
    pod.workOff();

    assertThat(pod.job(id).done()).isEqualTo(800);
    assertThat(queue.count("dead_letter")).isEqualTo(500);
  }

  @ParameterizedTest
  @EnumSource(Replay.class)
  void twoWorkersAtOnceDoEachStepOnce(Replay as) {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(4, 600);
    queue.ejectAll();
    long id = replayAll(as, DeadLetterFilter.ALL);

    try (ReplayPod other = new ReplayPod(database)) {
      CompletableFuture.allOf(
              ReplayPod.async(() -> untilDone(pod, id)),
              ReplayPod.async(() -> untilDone(other, id)))
          .join();
    }

    assertThat(pod.job(id).done()).isEqualTo(2400);
    assertThat(pod.job(id).skipped()).isZero();
    assertThat(queue.count("delivery")).isEqualTo(2400);
    assertThat(queue.count("dead_letter")).isZero();
  }

  private static int untilDone(ReplayPod worker, long id) {
    int steps = 0;
    while (worker.job(id).finishedAt() == null) {
      worker.runner.step();
      steps++;
    }
    return steps;
  }

  @Test
  void whileOneIsAtAJobAnotherDoesTheNext() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(1, 30);
    queue.ejectAll();
    long first = replayAll(Replay.ORIGINAL, DeadLetterFilter.of(null, "s", "r1", null, null, null));
    long second =
        replayAll(Replay.ORIGINAL, DeadLetterFilter.of(null, "s", "r2", null, null, null));

    try (ReplayPod other = new ReplayPod(database)) {
      pod.beforeCommit = () -> assertThat(other.runner.step()).isTrue();
      assertThat(pod.runner.step()).isTrue();
    }

    assertThat(pod.job(first).state()).isEqualTo(State.DONE);
    assertThat(pod.job(second).state()).isEqualTo(State.DONE);
  }

  @Test
  void workerThatDiesInAStepLosesAndRepeatsNothing() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(2, 600);
    queue.ejectAll();
    long id = replayAll(Replay.ORIGINAL, DeadLetterFilter.ALL);
    assertThat(pod.runner.step()).isTrue();
    pod.beforeCommit =
        () -> {
          throw new IllegalStateException("the pod dies");
        };
    assertThat(pod.runner.step()).isTrue();
    assertThat(pod.job(id).done()).isEqualTo(500);
    assertThat(pod.job(id).error()).contains("the pod dies");
    assertThat(queue.count("delivery")).isEqualTo(500);

    queue.jdbc.sql("update job set due_at = '-infinity'").update();
    try (ReplayPod other = new ReplayPod(database)) {
      other.workOff();
    }

    assertThat(pod.job(id).state()).isEqualTo(State.DONE);
    assertThat(pod.job(id).done()).isEqualTo(1200);
    assertThat(pod.job(id).error()).isNull();
    assertThat(queue.count("delivery")).isEqualTo(1200);
  }

  @Test
  void jobThatAlwaysFailsIsGivenUp() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    long id = replayAll(Replay.ORIGINAL, DeadLetterFilter.ALL);
    pod.beforeCommit =
        () -> {
          throw new IllegalStateException("always");
        };
    for (int i = 0; i < JobRunner.MOST_FAILURES; i++) {
      assertThat(pod.job(id).state()).isEqualTo(State.QUEUED);
      queue.jdbc.sql("update job set due_at = '-infinity'").update();
      assertThat(pod.runner.step()).isTrue();
    }

    pod.beforeCommit = () -> {};
    assertThat(pod.job(id).state()).isEqualTo(State.FAILED);
    assertThat(pod.runner.step()).isFalse();
  }

  @Test
  void stepDoesNotWaitForLongWithTheLanesThatItHas() throws SQLException {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(1, 30);
    queue.ejectAll();
    long id = replayAll(Replay.ORIGINAL, DeadLetterFilter.ALL);
    try (Connection somebody = database.dataSource(1).getConnection()) {
      somebody.setAutoCommit(false);
      try (Statement statement = somebody.createStatement()) {
        statement.execute("select from lane where key = 'r1' for update");
      }
      assertThat(ReplayPod.async(pod.runner::step).join()).isTrue();

      assertThat(pod.job(id).error()).contains("lock timeout");
      assertThat(queue.count("job where failures = 0 and finished_at is null")).isOne();
      assertThat(queue.count("delivery")).isZero();
      somebody.rollback();
    }
    queue.jdbc.sql("update job set due_at = '-infinity'").update();
    pod.workOff();
    assertThat(pod.job(id).done()).isEqualTo(30);
  }

  @Test
  void cancelledJobKeepsWhatItDid() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(2, 600);
    queue.ejectAll();
    long id = replayAll(Replay.ORIGINAL, DeadLetterFilter.ALL);
    pod.runner.step();

    assertThat(pod.jobs.cancel(id)).isTrue();
    assertThat(pod.jobs.cancel(id)).isFalse();

    assertThat(pod.runner.step()).isFalse();
    assertThat(pod.job(id).state()).isEqualTo(State.CANCELLED);
    assertThat(queue.count("delivery")).isEqualTo(500);
    assertThat(queue.count("dead_letter")).isEqualTo(700);
  }

  /** Batches span the pages, and their events are not stored in the order of their lanes. */
  @Test
  void rangeComesBackInTheOrderOfEachLane() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(7, 180);
    queue.deliverAll();

    long id = pod.jobs.create(JobKind.REDELIVER, range(Replay.ORIGINAL, null), null).id();
    assertThat(pod.workOff()).isGreaterThan(4);

    assertThat(pod.job(id).state()).isEqualTo(State.DONE);
    assertThat(pod.job(id).done()).isEqualTo(1260);
    assertThat(pod.job(id).skipped()).isZero();
    assertThat(pod.cameBack())
        .isEqualTo(Map.of("r0", fromTo(1, 420), "r1", fromTo(1, 420), "r2", fromTo(1, 420)));
  }

  @Test
  void rangeOfPublishesThatOverlapComesBackInTheOrderOfEachLane() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    List<CompletableFuture<Boolean>> producers = new ArrayList<>();
    for (int producer = 0; producer < 4; producer++) {
      String name = "p" + producer;
      producers.add(
          ReplayPod.async(
              () -> {
                for (int batch = 0; batch < 6; batch++) {
                  queue.publish(overlapping(name, batch));
                }
                return true;
              }));
    }
    producers.forEach(CompletableFuture::join);
    queue.deliverAll();

    long id = pod.jobs.create(JobKind.REDELIVER, range(Replay.ORIGINAL, null), null).id();
    pod.workOff();

    assertThat(pod.job(id).done()).isEqualTo(1440);
    assertThat(pod.job(id).skipped()).isZero();
    assertThat(pod.cameBack())
        .hasSize(5)
        .allSatisfy((lane, sequences) -> assertThat(sequences).isSorted());
  }

  /** Half of them for a lane of all producers, half for the producer's own. */
  private static List<NewEvent> overlapping(String producer, int batch) {
    List<NewEvent> events =
        new ArrayList<>(
            IntStream.range(0, 60)
                .mapToObj(
                    n ->
                        TestQueue.event(
                            "acme",
                            "%s-%d-%d".formatted(producer, batch, n),
                            n % 2 == 0 ? "shared" : producer))
                .toList());
    Collections.shuffle(events, new Random(batch));
    return events;
  }

  @Test
  void copiesOfARangeAreInTheOrderOfEachLane() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    publish(3, 420);
    queue.deliverAll();

    pod.jobs.create(JobKind.REDELIVER, range(Replay.NEW, null), null);
    pod.workOff();

    assertThat(queue.count("delivery")).isEqualTo(1260);
    assertThat(originalsInOrderOfCopies())
        .isEqualTo(Map.of("r0", fromTo(1, 420), "r1", fromTo(1, 420), "r2", fromTo(1, 420)));
  }

  @Test
  void rangeLeavesOutWhatIsQueuedAndTakesFromTheDeadLetters() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    queue.publish(List.of(TestQueue.event("acme", "delivered", "r")));
    queue.deliverAll();
    queue.publish(List.of(TestQueue.event("acme", "dead", "r")));
    queue.ejectAll();
    queue.publish(List.of(TestQueue.event("acme", "queued", "r")));

    RangeJob.Parameters range = range(Replay.ORIGINAL, List.of("order.*"));
    assertThat(count(range)).isEqualTo(2);
    assertThat(count(range(Replay.ORIGINAL, List.of("invoice.*", "order")))).isZero();
    long id = pod.jobs.create(JobKind.REDELIVER, range, null).id();
    pod.workOff();

    assertThat(pod.job(id).done()).isEqualTo(2);
    assertThat(pod.job(id).skipped()).isEqualTo(1);
    assertThat(pod.cameBack()).hasEntrySatisfying("r", all -> assertThat(all).hasSize(3));
    assertThat(queue.count("dead_letter")).isZero();
  }

  private long count(RangeJob.Parameters range) {
    return pod.rangeEvents.count(
        range.wanted(queue.subscriptions.directory().load(List.of(range.pk())).getFirst()));
  }

  @Test
  void whatWasPublishedWhileItWasDisabledComesAsNewOnly() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE, "order.*");
    queue.publish(List.of(TestQueue.event("acme", "e1", "r")));
    queue.deliverAll();
    queue.subscriptions.disable("s");
    queue.publish(List.of(TestQueue.event("acme", "e2", "r"), TestQueue.event("other", "e3", "r")));

    assertThat(count(range(Replay.ORIGINAL, null))).isEqualTo(1);
    assertThat(count(range(Replay.NEW, null))).isEqualTo(2);
    pod.jobs.create(JobKind.REDELIVER, range(Replay.NEW, null), null);
    pod.workOff();

    assertThat(pod.cameBack()).isEqualTo(Map.of("r", List.of(2L, 3L)));
  }

  @Test
  void rangeOfADeletedSubscriptionCannotGoOn() {
    queue.subscriptions.create("s", "acme", OrderingScope.RESOURCE);
    long id = pod.jobs.create(JobKind.REDELIVER, range(Replay.ORIGINAL, null), null).id();
    queue.subscriptions.delete("s");

    pod.workOff();

    assertThat(pod.job(id).state()).isEqualTo(State.FAILED);
    assertThat(pod.job(id).error()).contains("deleted");
  }
}
