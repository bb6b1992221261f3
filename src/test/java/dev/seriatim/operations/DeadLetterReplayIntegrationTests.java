package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.seriatim.TestDatabase;
import dev.seriatim.api.PageRequest;
import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.TestQueue;
import dev.seriatim.subscription.OrderingScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** One dead letter that comes back, or never does. */
@Timeout(120)
class DeadLetterReplayIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final ReplayPod pod = new ReplayPod(database);
  private final TestQueue queue = pod.queue;

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  private record Row(
      long id, Long lane, Long sequence, int attempts, String replay, int partition) {}

  private List<Row> queued() {
    return queue
        .jdbc
        .sql(
            "select id, lane_id as lane, sequence, attempts, replay, partition from delivery order by sequence")
        .query(Row.class)
        .list();
  }

  private List<Long> deadLetters() {
    return queue
        .jdbc
        .sql("select id from dead_letter order by delivery_id, id")
        .query(Long.class)
        .list();
  }

  /** Three events of one lane, all of them given up; the rest of the lane waits. */
  private List<Row> threeDead(OrderingScope ordering) {
    queue.subscriptions.create("s", "acme", ordering);
    queue.publish(Stream.of("e1", "e2", "e3").map(id -> TestQueue.event("acme", id, "r")).toList());
    List<Row> before = queued();
    queue.ejectAll();
    return before;
  }

  private String state(String event) {
    return pod.status.find("acme", event).orElseThrow().deliveries().getFirst().state().name();
  }

  @Test
  void originalHasThePlaceThatItHad() {
    List<Row> before = threeDead(OrderingScope.RESOURCE);
    queue.publish(List.of(TestQueue.event("acme", "e4", "r")));

    ReplayedLetter answer = pod.letters.replay(deadLetters().get(1), Replay.ORIGINAL);

    assertThat(answer.alreadyDone()).isNull();
    Row second = before.get(1);
    assertThat(queued().getFirst())
        .isEqualTo(new Row(second.id(), second.lane(), 2L, 0, "ORIGINAL", second.partition()));
    assertThat(queued()).hasSize(2);
    assertThat(deadLetters()).hasSize(2);
    assertThat(state("e2")).isEqualTo("QUEUED");
  }

  @Test
  void copyHasAnIdOfItsOwnAndTheNextSequence() {
    List<Row> before = threeDead(OrderingScope.RESOURCE);

    pod.letters.replay(deadLetters().get(1), Replay.NEW);
    queue.publish(List.of(TestQueue.event("acme", "e4", "r")));

    assertThat(queued()).extracting(Row::sequence).containsExactly(4L, 5L);
    Row copy = queued().getFirst();
    assertThat(copy.replay()).isEqualTo("NEW");
    assertThat(copy.lane()).isEqualTo(before.get(1).lane());
    assertThat(before).extracting(Row::id).doesNotContain(copy.id());
    assertThat(deadLetters()).hasSize(2);
  }

  @Test
  void copyThatFailsComesBackAsTheCopyThatItIs() {
    threeDead(OrderingScope.RESOURCE);
    pod.letters.replay(deadLetters().get(1), Replay.NEW);
    Row copy = queued().getFirst();
    queue.ejectAll();

    pod.letters.replay(deadLetters().getLast(), Replay.ORIGINAL);

    // Its webhook-id depends on that.
    assertThat(queued()).containsExactly(copy);
  }

  @Test
  void withoutOrderThereIsNoLane() {
    threeDead(OrderingScope.NONE);
    pod.letters.replay(deadLetters().get(0), Replay.ORIGINAL);
    pod.letters.replay(deadLetters().get(0), Replay.NEW);

    assertThat(queued()).hasSize(2).extracting(Row::lane).containsOnlyNulls();
    assertThat(state("e1")).isEqualTo("QUEUED");
  }

  /** O10: neither can bring it back before both have read it. */
  @ParameterizedTest
  @CsvSource({"NONE, ORIGINAL", "NONE, NEW", "RESOURCE, ORIGINAL", "RESOURCE, NEW"})
  void ofTwoOperatorsAtOnceOneReplays(OrderingScope ordering, Replay as) {
    threeDead(ordering);
    long letter = deadLetters().getFirst();

    List<CompletableFuture<ReplayedLetter>> operators = new ArrayList<>();
    queue.transaction.executeWithoutResult(
        status -> {
          queue.jdbc.sql("lock table delivery in share mode").update();
          for (int i = 0; i < 2; i++) {
            operators.add(ReplayPod.async(() -> pod.letters.replay(letter, as)));
          }
          pod.awaitBlocked(2);
        });

    List<ReplayedLetter> answers = operators.stream().map(CompletableFuture::join).toList();
    assertThat(queued()).hasSize(1);
    assertThat(answers).filteredOn(answer -> answer.alreadyDone() == null).hasSize(1);
    assertThat(answers)
        .filteredOn(answer -> answer.alreadyDone() != null)
        .singleElement()
        .satisfies(answer -> assertThat(answer.alreadyDone().operator()).isEqualTo("loopback"));
    assertThat(queue.count("audit")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(Replay.class)
  void repeatTellsWhoDidItAndChangesNothing(Replay as) {
    threeDead(OrderingScope.RESOURCE);
    long letter = deadLetters().getFirst();
    pod.letters.replay(letter, as);
    queue.deliverAll();

    ReplayedLetter again = pod.letters.replay(letter, Replay.ORIGINAL);

    assertThat(again.as()).isEqualTo(as);
    assertThat(again.alreadyDone()).isNotNull();
    assertThat(queued()).isEmpty();
    assertThat(queue.count("audit")).isEqualTo(1);
  }

  @Test
  void nothingComesBackTwiceAtATime() {
    threeDead(OrderingScope.RESOURCE);
    pod.redelivery.redeliver("acme", "e1", null, Replay.NEW);

    refuses(
        ProblemType.CONFLICT, () -> pod.letters.replay(deadLetters().getFirst(), Replay.ORIGINAL));

    assertThat(queued()).hasSize(1);
    assertThat(deadLetters()).hasSize(3);
  }

  @Test
  void deletedSubscriptionGetsNothingAndADisabledOneLater() {
    threeDead(OrderingScope.RESOURCE);
    queue.subscriptions.disable("s");
    pod.letters.replay(deadLetters().getFirst(), Replay.ORIGINAL);
    assertThat(queued()).hasSize(1);

    queue.subscriptions.delete("s");
    refuses(
        ProblemType.CONFLICT, () -> pod.letters.replay(deadLetters().getFirst(), Replay.ORIGINAL));
    assertThat(deadLetters()).hasSize(2);
  }

  @Test
  void discardedIsHiddenAndSoIsNotReplayed() {
    threeDead(OrderingScope.RESOURCE);
    long letter = deadLetters().getFirst();

    pod.letters.discard(letter);
    pod.letters.discard(letter);

    assertThat(state("e1")).isEqualTo("DISCARDED");
    DeadLetterQuery shown = new DeadLetterQuery(queue.jdbc, new RecentAttempts(queue.jdbc));
    assertThat(shown.list(DeadLetterFilter.ALL, new PageRequest(null, 10))).hasSize(2);
    assertThat(shown.find(letter)).isEmpty();
    assertThat(pod.rows.count(DeadLetterFilter.ALL, letter)).isZero();
    refuses(ProblemType.CONFLICT, () -> pod.letters.replay(letter, Replay.ORIGINAL));
    assertThat(queued()).isEmpty();
    assertThat(queue.count("audit")).isEqualTo(1);

    // The event can be had again.
    pod.redelivery.redeliver("acme", "e1", null, Replay.ORIGINAL);
    assertThat(state("e1")).isEqualTo("QUEUED");
    assertThat(deadLetters()).hasSize(2);
  }

  /** Either is final for the other. */
  @Test
  void ofADiscardAndAReplayAtOnceOneIsDone() {
    threeDead(OrderingScope.RESOURCE);
    long letter = deadLetters().getFirst();

    List<CompletableFuture<Boolean>> operators = new ArrayList<>();
    queue.transaction.executeWithoutResult(
        status -> {
          queue.jdbc.sql("select id from dead_letter for update").query(row -> {});
          operators.add(succeeds(() -> pod.letters.replay(letter, Replay.ORIGINAL)));
          operators.add(succeeds(() -> pod.letters.discard(letter)));
          pod.awaitBlocked(2);
        });

    assertThat(operators.stream().map(CompletableFuture::join)).containsOnlyOnce(true);
    assertThat(queued().size() + queue.count("dead_letter where discarded_at is not null"))
        .isEqualTo(1);
  }

  private static CompletableFuture<Boolean> succeeds(Runnable work) {
    return ReplayPod.async(
        () -> {
          try {
            work.run();
            return true;
          } catch (ProblemException refused) {
            return false;
          }
        });
  }

  @Test
  void whatNeverWasIsNotFound() {
    refuses(ProblemType.NOT_FOUND, () -> pod.letters.replay(7, Replay.ORIGINAL));
    refuses(ProblemType.NOT_FOUND, () -> pod.letters.discard(7));
    assertThat(queue.count("audit")).isZero();
  }

  private static void refuses(ProblemType type, Runnable work) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            ProblemException.class, refusal -> assertThat(refusal.type()).isEqualTo(type));
  }
}
