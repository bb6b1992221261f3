package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.Replay;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyLanesTests {

  private static final long A = 1;
  private static final long B = 2;

  private final KeyLanes lanes = new KeyLanes(new KeyLanes.Limits(8, 4, 100, 100));

  KeyLanesTests() {
    lanes.cap(A, 4);
    lanes.cap(B, 4);
  }

  /** Long random walks. To look into one: {@code -Dlanes.seed=…}. */
  @Test
  void keepsItsPromisesOnRandomWalks() {
    long first = Long.getLong("lanes.seed", new Random().nextLong());
    int walks = Integer.getInteger("lanes.walks", 3000);
    System.out.println("KeyLanes walks from seed " + first);
    for (long seed = first; seed < first + walks; seed++) {
      int steps = 400;
      if (failure(seed, steps) != null) {
        throw new AssertionError(shortest(seed, steps));
      }
    }
  }

  /** The shortest walk of this seed that fails, as a story. */
  private static String shortest(long seed, int steps) {
    for (int length = 0; length <= steps; length++) {
      LaneWalk walk = new LaneWalk(seed);
      Throwable failure = failure(walk, length);
      if (failure != null) {
        return "seed %d fails after %d steps: %s%n  %s"
            .formatted(seed, length, failure, String.join("\n  ", walk.trace()));
      }
    }
    throw new IllegalStateException("seed " + seed + " does not fail again");
  }

  private static @Nullable Throwable failure(long seed, int steps) {
    return failure(new LaneWalk(seed), steps);
  }

  private static @Nullable Throwable failure(LaneWalk walk, int steps) {
    try {
      walk.run(steps);
      return null;
    } catch (LaneWalk.Broken | RuntimeException e) {
      return e;
    }
  }

  // O1: whatever is offered at once, one in flight per lane.
  @Test
  void sendsOneOfALaneAtATime() {
    offer(row(7, 1, A), row(7, 2, A), row(7, 3, A));

    assertThat(started()).containsExactly("7#1");
    lanes.settled(7);
    assertThat(started()).containsExactly("7#2");
  }

  // O2: the head fails; what was read with it stays behind it.
  @Test
  void keepsTheBatchBehindAFailingHead() {
    offer(row(7, 1, A), row(7, 2, A), row(8, 1, A));
    assertThat(started()).containsExactly("7#1", "8#1");

    lanes.retry(7, row(7, 1, A).retried(60, 0, null));

    assertThat(started()).isEmpty();
    lanes.wake(59);
    assertThat(started()).isEmpty();
    lanes.wake(60);
    assertThat(started()).containsExactly("7#1");
  }

  // O3: a lane whose head is in back-off sends nothing, however much of it is offered meanwhile.
  @Test
  void sendsNothingOfALaneWhoseHeadIsNotDue() {
    offer(row(7, 1, A).retried(60, 0, null));
    for (int sequence = 2; sequence <= 6; sequence++) {
      offer(row(7, sequence, A));
    }

    assertThat(started()).isEmpty();
    assertThat(lanes.nextWake()).hasValue(60);
  }

  @Test
  void learnsTheHeadOfALaneBeforeItSends() {
    lanes.offer(row(7, 5, A), 0);
    assertThat(started()).isEmpty();

    KeyLanes.LaneRead read = lanes.wanted(10).getFirst();
    assertThat(read).isEqualTo(new KeyLanes.LaneRead(7, 0));
    lanes.fetched(read, List.of(row(7, 4, A), row(7, 5, A)), true, 5, 0);

    assertThat(started()).containsExactly("7#4");
  }

  @Test
  void fetchesWhatIsMissingBeforeItGoesOn() {
    offer(row(7, 1, A), row(7, 3, A));
    assertThat(started()).containsExactly("7#1");
    lanes.settled(7);
    assertThat(started()).isEmpty();

    assertThat(lanes.wanted(10)).containsExactly(new KeyLanes.LaneRead(7, 2));
  }

  @Test
  void ignoresWhatItKnows() {
    offer(row(7, 1, A), row(7, 1, A));
    assertThat(started()).containsExactly("7#1");
    offer(row(7, 1, A));
    lanes.settled(7);

    assertThat(started()).isEmpty();
    assertThat(lanes.laneCount()).isZero();
  }

  @Test
  void keepsTheHeadOnlyOfAWaitingLane() {
    for (int sequence = 1; sequence <= 4; sequence++) {
      offer(row(7, sequence, A));
    }
    assertThat(lanes.queuedCount()).isEqualTo(3);
    assertThat(started()).containsExactly("7#1");

    lanes.retry(7, row(7, 1, A).retried(60, 0, null));

    assertThat(lanes.queuedCount()).isZero();
  }

  @Test
  void rescheduledHeadsOfAnEndpointWaitUntilTheirNewTimes() {
    offer(row(7, 1, A).retried(60, 0, null));
    offer(row(8, 1, A).retried(70, 0, null));
    offer(row(9, 1, B).retried(80, 0, null));

    lanes.reschedule(A, head -> head.rescheduled(head.laneId() == 7 ? 95 : 20));

    assertThat(lanes.nextWake()).hasValue(20);
    lanes.wake(20);
    assertThat(started()).containsExactly("8#1");
    lanes.wake(94);
    assertThat(started()).containsExactly("9#1");
    lanes.wake(95);
    assertThat(started()).containsExactly("7#1");
    assertThat(lanes.waitingCount()).isZero();
  }

  // I2, in small: a waiting lane takes nothing from the others.
  @Test
  void waitingLaneDoesNotDelayOthers() {
    offer(row(7, 1, A), row(8, 1, A));
    assertThat(started()).containsExactly("7#1", "8#1");
    lanes.retry(7, row(7, 1, A).retried(1_000_000, 0, null));
    lanes.settled(8);

    offer(row(8, 2, A), row(9, 1, A));

    assertThat(started()).containsExactlyInAnyOrder("8#2", "9#1");
  }

  @Test
  void endpointsTakeTurns() {
    for (int lane = 10; lane < 30; lane++) {
      offer(row(lane, 1, A));
    }
    offer(row(100, 1, B));

    assertThat(started()).contains("100#1").hasSize(5);
  }

  @Test
  void capHoldsPerEndpointOverAllItsLanes() {
    for (int lane = 10; lane < 30; lane++) {
      offer(row(lane, 1, A));
    }

    assertThat(started()).hasSize(4);
    lanes.settled(10);
    assertThat(started()).hasSize(1);
  }

  @Test
  void heldEndpointSendsNothingAndGoesOnInOrder() {
    offer(row(7, 1, A), row(7, 2, A));
    lanes.cap(A, 0);
    assertThat(started()).isEmpty();

    lanes.cap(A, 4);
    assertThat(started()).containsExactly("7#1");
  }

  // I3: an endpoint that hangs with ever more lanes behind it does not fill the memory, nor hide
  // another endpoint.
  @Test
  void spillsTheLanesOfAnEndpointThatHangs() {
    KeyLanes small = new KeyLanes(new KeyLanes.Limits(8, 4, 100, 10));
    small.cap(A, 2);
    small.cap(B, 2);
    for (int lane = 1; lane <= 1000; lane++) {
      offer(small, List.of(row(lane, 1, A)));
    }
    offer(small, List.of(row(2000, 1, B)));

    assertThat(small.laneCount()).isEqualTo(11);
    List<String> sent = new ArrayList<>();
    for (Delivery next = small.next(); next != null; next = small.next()) {
      sent.add(name(next));
    }
    assertThat(sent).containsExactlyInAnyOrder("1#1", "2#1", "2000#1");
  }

  // Of a lane new to memory not even the first is sent before the lane is read: it may be held.
  @Test
  void sendsNothingOfALaneThatIsHeld() {
    lanes.offer(row(7, 1, A), 0);
    assertThat(started()).isEmpty();

    lanes.held(lanes.wanted(10).getFirst());

    assertThat(started()).isEmpty();
    assertThat(lanes.laneCount()).isZero();
    assertThat(lanes.wanted(10)).isEmpty();
  }

  @Test
  void laneHeldWhileItsHeadIsUnderWayIsReadAgainOnceThatHasLanded() {
    offer(row(7, 1, A), row(7, 2, A));
    assertThat(started()).containsExactly("7#1");

    lanes.relearn(7);
    assertThat(lanes.wanted(10)).isEmpty();
    lanes.settled(7);

    assertThat(started()).isEmpty();
    assertThat(lanes.wanted(10)).containsExactly(new KeyLanes.LaneRead(7, 0));
  }

  // Skipped, or parked and resumed, while its last attempt was under way: the table knows.
  @Test
  void laneThatWasChangedBeforeItsHeadParkedItIsReadAgain() {
    offer(row(7, 1, A), row(7, 2, A));
    assertThat(started()).containsExactly("7#1");

    lanes.relearn(7);
    lanes.parked(7);

    assertThat(lanes.inFlight()).isZero();
    assertThat(lanes.wanted(10)).containsExactly(new KeyLanes.LaneRead(7, 0));
    lanes.fetched(new KeyLanes.LaneRead(7, 0), List.of(row(7, 2, A)), true, 2, 0);
    assertThat(started()).containsExactly("7#2");
    assertThat(lanes.queuedCount()).isZero();
  }

  @Test
  void laneThatIsHeldWhileItIsSentIsNotReadBeforeItsHeadHasLanded() {
    lanes.offer(row(7, 1, A), 0);
    lanes.fetched(lanes.wanted(1).getFirst(), List.of(row(7, 1, A)), false, 1, 0);
    assertThat(started()).containsExactly("7#1");
    KeyLanes.LaneRead read = lanes.wanted(10).getFirst();

    lanes.held(read);

    assertThat(lanes.wanted(10)).isEmpty();
    lanes.settled(7);
    assertThat(lanes.wanted(10)).containsExactly(new KeyLanes.LaneRead(7, 0));
  }

  // The answer to the settlement was late, and somebody had it delivered again meanwhile.
  @Test
  void whatCameBackIsNotTakenForTheSameNumberUnderWay() {
    offer(row(7, 1, A));
    assertThat(started()).containsExactly("7#1");

    lanes.offer(back(row(7, 1, A)), 0);
    lanes.settled(7);

    assertThat(lanes.wanted(10)).containsExactly(new KeyLanes.LaneRead(7, 1));
  }

  @Test
  void whatCameBackGoesAheadOfTheWaitingTail() {
    offer(row(7, 20, A), row(7, 21, A));
    assertThat(started()).containsExactly("7#20");

    lanes.offer(back(row(7, 3, A)), 0);
    lanes.settled(7);
    KeyLanes.LaneRead read = lanes.wanted(10).getFirst();
    assertThat(read).isEqualTo(new KeyLanes.LaneRead(7, 3));
    lanes.fetched(read, List.of(back(row(7, 3, A)), row(7, 21, A)), true, 21, 0);

    assertThat(started()).containsExactly("7#3");
    lanes.settled(7);
    assertThat(started()).containsExactly("7#21");
  }

  @Test
  void failingHeadThatBlocksLetsNothingElseStart() {
    lanes.blocks(A, true);
    offer(row(7, 1, A), row(8, 1, A), row(9, 1, B));
    assertThat(started()).containsExactlyInAnyOrder("7#1", "8#1", "9#1");
    offer(row(8, 2, A), row(9, 2, B));
    lanes.retry(7, row(7, 1, A).retried(60, 0, null));
    lanes.settled(8);
    lanes.settled(9);

    assertThat(started()).isEmpty();
    lanes.wake(60);
    assertThat(started()).containsExactly("7#1");
    lanes.settled(7);
    assertThat(started()).containsExactlyInAnyOrder("8#2", "9#2");
  }

  /** An operator was quicker than the news of it: the lane does not wait for a next row. */
  @Test
  void laneThatWasResumedBeforeItsParkingIsHeardOfIsReadAgain() {
    offer(row(7, 1, A), row(7, 2, A));
    assertThat(started()).containsExactly("7#1");

    lanes.relearn(7);
    lanes.parked(7);

    assertThat(lanes.wanted(10)).extracting(KeyLanes.LaneRead::lane).containsExactly(7L);
  }

  private static Delivery back(Delivery row) {
    return new Delivery(
        row.tx() + 1,
        row.id(),
        row.laneId(),
        row.sequence(),
        row.eventPk(),
        row.subscriptionPk(),
        0,
        0,
        null,
        null,
        Replay.ORIGINAL,
        null);
  }

  // O8: without order there is no lane to wait for.
  @Test
  void sendsInParallelWhatHasNoOrder() {
    offer(row(0, 0, A), row(0, 0, A), row(0, 0, A));

    assertThat(started()).hasSize(3);
  }

  private long nextId = 1;

  private Delivery row(long lane, long sequence, long endpoint) {
    long id = lane == 0 ? nextId++ : lane * 1000 + sequence;
    return new Delivery(5, id, lane, sequence, 1, endpoint, 0, 0, null, null, null, null);
  }

  /** Offers rows and reads the lanes that are new to memory, as far as the rows have no gap. */
  private void offer(Delivery... rows) {
    offer(lanes, List.of(rows));
  }

  private static void offer(KeyLanes lanes, List<Delivery> rows) {
    rows.forEach(row -> lanes.offer(row, 0));
    for (KeyLanes.LaneRead read : lanes.wanted(rows.size())) {
      List<Delivery> line = new ArrayList<>();
      for (Delivery row : rows) {
        if (row.laneId() == read.lane() && (line.isEmpty() || follows(line.getLast(), row))) {
          line.add(row);
        }
      }
      if (read.from() == 0) {
        lanes.fetched(read, line, true, line.getLast().sequence(), 0);
      }
    }
    rows.forEach(row -> lanes.offer(row, 0));
  }

  private static boolean follows(Delivery last, Delivery row) {
    return row.sequence() == last.sequence() + 1;
  }

  private List<String> started() {
    List<String> names = new ArrayList<>();
    for (Delivery next = lanes.next(); next != null; next = lanes.next()) {
      names.add(name(next));
    }
    return names;
  }

  private static String name(Delivery delivery) {
    return delivery.laneId() + "#" + delivery.sequence();
  }
}
