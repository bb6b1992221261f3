package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SettableClock;
import dev.seriatim.partition.PartitionLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionCursorTests {

  private static final int WALKS = 3000;
  private static final int STEPS = 60;

  private final SettableClock clock = new SettableClock();
  private final FakeLog log = new FakeLog(clock);
  private final PartitionLease lease = new PartitionLease(0, 1, UUID.randomUUID(), clock, 0);
  private final PartitionCursor cursor = new PartitionCursor(log, lease, clock, 10);

  @Test
  void withoutConcurrentTransactionsEachRowIsReadOnceAndThereIsNoSweep() {
    List<Place> written = new ArrayList<>();
    List<Place> read = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      written.addAll(log.commit(log.begin(4)));
      read.addAll(places(cursor.forward()));
      assertThat(cursor.sweepAt()).isEmpty();
    }
    for (List<Delivery> page = cursor.forward(); !page.isEmpty(); page = cursor.forward()) {
      read.addAll(places(page));
    }

    assertThat(read).isEqualTo(written);
    assertThat(log.rowsRead).isEqualTo(20);
  }

  /** Case O5. */
  @Test
  void rowsOfATransactionThatCommitsLateAreSwept() {
    long slow = log.begin(1);
    List<Place> quick = log.commit(log.begin(1));
    assertThat(places(cursor.forward())).isEqualTo(quick);

    List<Place> late = log.commit(slow);

    assertThat(cursor.forward()).isEmpty();
    assertThat(log.news(cursor.seen())).as("the poller looks ahead only").isFalse();
    assertThat(cursor.sweepAt()).hasValue(clock.nanos());
    assertThat(places(cursor.sweep())).containsAll(late);
    assertThat(cursor.sweepAt()).isEmpty();
    assertThat(log.news(cursor.seen())).isFalse();
  }

  /** Case O5, when what was read before the late commit has been settled meanwhile. */
  @Test
  void lateRowsAreSweptThoughNothingElseIsLeft() {
    long slow = log.begin(1);
    List<Place> quick = log.commit(log.begin(1));
    assertThat(places(cursor.forward())).isEqualTo(quick);
    log.remove(quick.getFirst());

    List<Place> late = log.commit(slow);

    assertThat(places(cursor.sweep())).isEqualTo(late);
  }

  @Test
  void sweepGoesOverSeveralPagesAndForwardReadsInBetween() {
    long slow = log.begin(35);
    log.commit(log.begin(3));
    places(cursor.forward());
    Set<Place> late = new HashSet<>(log.commit(slow));
    Set<Place> swept = new HashSet<>();
    int sweeps = 0;

    while (cursor.sweepAt().isPresent()) {
      swept.addAll(places(cursor.sweep()));
      List<Place> more = log.commit(log.begin(1));
      assertThat(places(cursor.forward())).isEqualTo(more);
      sweeps++;
    }

    assertThat(swept).containsAll(late);
    // Four pages, and a fifth for what forward has read since the sweep began.
    assertThat(sweeps).isEqualTo(5);
  }

  /** What is open when a sweep begins may commit below it while it goes on. */
  @Test
  void transactionThatCommitsDuringASweepIsSweptByTheNext() {
    long slow = log.begin(1);
    long slower = log.begin(30);
    log.commit(log.begin(1));
    places(cursor.forward());
    log.commit(slower);
    assertThat(cursor.sweep()).hasSize(10);

    Place late = log.commit(slow).getFirst();
    List<Place> swept = new ArrayList<>();
    while (cursor.sweepAt().isPresent()) {
      swept.addAll(places(cursor.sweep()));
    }

    assertThat(swept).contains(late);
  }

  @Test
  void rewindBeginsWithTheFirstRowAgain() {
    List<Place> all = new ArrayList<>(log.commit(log.begin(7)));
    long slow = log.begin(1);
    all.addAll(log.commit(log.begin(1)));
    assertThat(places(cursor.forward())).isEqualTo(all);

    cursor.rewind();

    assertThat(log.news(cursor.seen())).isTrue();
    assertThat(cursor.sweepAt()).isEmpty();
    assertThat(places(cursor.forward())).isEqualTo(all);
    List<Place> late = log.commit(slow);
    assertThat(places(cursor.sweep())).containsAll(late);
  }

  @Test
  void longTransactionDoesNotMakeEveryReadASweep() {
    log.readTakes = Duration.ofMillis(20);
    long slow = log.begin(1);
    log.commit(log.begin(1));
    places(cursor.forward());
    int sweeps = 0;
    for (int i = 0; i < 1000; i++) {
      clock.advance(Duration.ofMillis(1));
      if (due()) {
        places(cursor.sweep());
        sweeps++;
      }
    }

    // A sweep takes 20 ms and the rest after it 200 ms or more: in about one second there are four
    // or five.
    assertThat(sweeps).isBetween(3, 5);
    Place late = log.commit(slow).getFirst();
    assertThat(due()).isFalse();
    clock.advance(Duration.ofMillis(500));
    assertThat(due()).isTrue();
    assertThat(places(cursor.sweep())).contains(late);
    assertThat(cursor.sweepAt()).isEmpty();
  }

  @Test
  void quickSweepsRestLongerAndLongerWhileTheHorizonDoesNotMove() {
    long slow = log.begin(1);
    log.commit(log.begin(1));
    places(cursor.forward());
    int sweeps = 0;
    for (int i = 0; i < 10_000; i++) {
      clock.advance(Duration.ofMillis(1));
      if (due()) {
        places(cursor.sweep());
        sweeps++;
      }
    }

    // Two a second in the end, not two hundred.
    assertThat(sweeps).isBetween(15, 30);
    Place late = log.commit(slow).getFirst();
    clock.advance(Duration.ofMillis(500));
    assertThat(places(cursor.sweep())).contains(late);
  }

  @Test
  void fullPageMeansThatThereMayBeMore() {
    log.commit(log.begin(10));
    assertThat(cursor.full(cursor.forward())).isTrue();
    assertThat(cursor.full(cursor.forward())).isFalse();
  }

  /** Transactions in the upper half of the unsigned numbers are higher, not lower. */
  @Test
  void placesAreUnsigned() {
    assertThat(new Place(-1, 0)).isGreaterThan(new Place(Long.MAX_VALUE, 5));
    assertThat(new Place(1, 2)).isGreaterThan(new Place(1, 1));
  }

  /**
   * Random transactions that write, commit, roll back and are read in between, as a drainer reads:
   * forward when there is news, a sweep when one is due. Whatever was committed must have been read
   * once all is quiet.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyCommittedRowIsReadInEveryInterleaving(long firstSeed) {
    for (int walk = 0; walk < WALKS; walk++) {
      long seed = firstSeed * WALKS + walk;
      assertThat(missed(seed)).as("missed with seed %d", seed).isEmpty();
    }
  }

  private static Set<Place> missed(long seed) {
    Random random = new Random(seed);
    SettableClock clock = new SettableClock();
    FakeLog log = new FakeLog(clock);
    PartitionCursor cursor =
        new PartitionCursor(
            log,
            new PartitionLease(0, 1, UUID.randomUUID(), clock, 0),
            clock,
            1 + random.nextInt(4));
    Set<Place> committed = new HashSet<>();
    Set<Place> read = new HashSet<>();
    for (int step = 0; step < STEPS; step++) {
      List<Long> open = log.open();
      switch (random.nextInt(open.isEmpty() ? 4 : 9)) {
        case 0, 1 -> log.begin(random.nextInt(4));
        case 2 -> read.addAll(places(cursor.forward()));
        case 3 -> sweepIfDue(cursor, clock, read);
        case 4 -> log.write(open.get(random.nextInt(open.size())));
        case 5, 6 -> committed.addAll(log.commit(open.get(random.nextInt(open.size()))));
        case 7 -> log.rollBack(open.get(random.nextInt(open.size())));
        default -> {
          // A row that was read is settled, rarely a whole drainer begins again.
          if (random.nextInt(20) == 0) {
            cursor.rewind();
          }
          read.stream().filter(log.committed()::contains).findFirst().ifPresent(log::remove);
        }
      }
      clock.advance(Duration.ofMillis(random.nextInt(3)));
      log.readTakes = Duration.ofMillis(random.nextInt(2));
    }
    log.open().forEach(tx -> committed.addAll(log.commit(tx)));
    // As the drainer does: what is behind, and what the poller tells of.
    for (int turn = 0;
        turn < 1000 && (cursor.sweepAt().isPresent() || log.news(cursor.seen()));
        turn++) {
      clock.advance(Duration.ofMillis(500));
      read.addAll(places(cursor.forward()));
      sweepIfDue(cursor, clock, read);
    }
    committed.removeAll(read);
    return committed;
  }

  private static void sweepIfDue(PartitionCursor cursor, SettableClock clock, Set<Place> read) {
    cursor
        .sweepAt()
        .ifPresent(
            due -> {
              if (due - clock.nanos() <= 0) {
                read.addAll(places(cursor.sweep()));
              }
            });
  }

  private boolean due() {
    return cursor.sweepAt().isPresent() && cursor.sweepAt().getAsLong() - clock.nanos() <= 0;
  }

  private static List<Place> places(List<Delivery> rows) {
    return rows.stream().map(Place::of).toList();
  }
}
