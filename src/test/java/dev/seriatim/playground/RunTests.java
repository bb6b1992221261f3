package dev.seriatim.playground;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.playground.Attempt.Outcome;
import dev.seriatim.playground.Switches.Failing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the playground shows is not luck: it holds over many seeds. */
class RunTests {

  private static final int SEEDS = 200;

  @Test
  void sharedQueueFinishesFirstButEndsSomeOrdersWrong() {
    List<Run> runs = defaults();

    assertThat(runs).allSatisfy(run -> assertThat(way(run, Way.SHARED_QUEUE).wrong()).isPositive());
    for (Way other : List.of(Way.HASH_PARTITIONS, Way.KEY_LANES)) {
      // Whose turn it is at the end is chance, too: a run in a hundred may go the other way.
      assertThat(runs)
          .as("%s is no faster", other)
          .filteredOn(run -> way(run, Way.SHARED_QUEUE).finishMs() <= way(run, other).finishMs())
          .hasSizeGreaterThan(SEEDS * 98 / 100);
    }
  }

  @Test
  void partitionsEndRightButLater() {
    List<Run> runs = defaults();

    assertThat(runs).allSatisfy(run -> assertThat(way(run, Way.HASH_PARTITIONS).wrong()).isZero());
    assertThat(mean(runs, Way.HASH_PARTITIONS, WayRun::finishMs))
        .isGreaterThan(1.2 * mean(runs, Way.SHARED_QUEUE, WayRun::finishMs));
  }

  @Test
  void retryToTheBackOfTheQueueBreaksEvenPartitions() {
    for (int consumers = 1; consumers <= Switches.MAX_CONSUMERS; consumers++) {
      assertThat(runs(new Switches(0, consumers, Failing.TO_BACK, true, false)))
          .as("%d consumers", consumers)
          .allSatisfy(
              run -> {
                assertThat(way(run, Way.HASH_PARTITIONS).orders())
                    .filteredOn(order -> !order.right())
                    .singleElement()
                    .satisfies(order -> assertThat(order.status()).isEqualTo(Status.PAID));
                assertThat(way(run, Way.KEY_LANES).wrong()).isZero();
              });
    }
  }

  @Test
  void versionedWritesEndRightAtTheSpeedOfTheSharedQueueByDroppingWhatIsStale() {
    assertThat(everySwitch())
        .allSatisfy(
            run -> {
              WayRun versioned = way(run, Way.VERSIONED_WRITES);
              WayRun shared = way(run, Way.SHARED_QUEUE);
              assertThat(versioned.wrong()).isZero();
              assertThat(versioned.finishMs()).isEqualTo(shared.finishMs());
              assertThat(versioned.dropped()).isEqualTo(shared.late());
              assertThat(shared.dropped()).isZero();
            });
    assertThat(defaults())
        .allSatisfy(run -> assertThat(way(run, Way.VERSIONED_WRITES).dropped()).isPositive());
  }

  @Test
  void lanesEndRightWhateverIsSet() {
    assertThat(everySwitch())
        .allSatisfy(
            run -> {
              WayRun lanes = way(run, Way.KEY_LANES);
              assertThat(lanes.wrong()).isZero();
              assertThat(lanes.late()).isZero();
              assertThat(lanes.dropped()).isZero();
            });
  }

  @Test
  void lanesKeepColdKeysFast() {
    List<Run> runs = defaults();
    assertThat(runs)
        .allSatisfy(
            run ->
                assertThat(way(run, Way.KEY_LANES).coldWaitMeanMs())
                    .isLessThanOrEqualTo(way(run, Way.HASH_PARTITIONS).coldWaitMeanMs()));
    assertThat(mean(runs, Way.KEY_LANES, WayRun::coldWaitMaxMs))
        .isLessThan(0.5 * mean(runs, Way.HASH_PARTITIONS, WayRun::coldWaitMaxMs));

    List<Run> hot = runs(new Switches(0, 4, Failing.IN_PLACE, true, true));
    assertThat(mean(hot, Way.KEY_LANES, WayRun::coldWaitMeanMs))
        .as("a hot key makes cold ones wait in a shared queue, but hardly in lanes")
        .isLessThan(1.1 * mean(runs, Way.KEY_LANES, WayRun::coldWaitMeanMs))
        .isLessThan(0.5 * mean(hot, Way.SHARED_QUEUE, WayRun::coldWaitMeanMs));
  }

  @Test
  void withoutMisfortuneEvenTheSharedQueueLooksRight() {
    assertThat(runs(new Switches(0, 4, Failing.NONE, false, true)))
        .allSatisfy(run -> assertThat(way(run, Way.SHARED_QUEUE).wrong()).isZero());
  }

  @Test
  void oneConsumerKeepsTheOrderWhereItWaitsWithWhatFails() {
    assertThat(runs(new Switches(0, 1, Failing.IN_PLACE, true, true)))
        .allSatisfy(run -> assertThat(way(run, Way.SHARED_QUEUE).wrong()).isZero());
  }

  @Test
  void everyEventIsProcessedOnceByOneConsumerAtATime() {
    assertThat(everySwitch())
        .allSatisfy(
            run ->
                assertThat(run.ways())
                    .allSatisfy(
                        way -> {
                          assertThat(way.attempts())
                              .filteredOn(attempt -> attempt.outcome() != Outcome.FAILED)
                              .extracting(Attempt::event)
                              .containsExactlyInAnyOrderElementsOf(run.events());
                          assertThat(way.attempts())
                              .isSortedAccordingTo(Comparator.comparingLong(Attempt::endMs));
                          apart(way, Attempt::consumer);
                        }));
  }

  @Test
  void lanesProcessOneEventOfAnOrderAtATimeInSequence() {
    assertThat(everySwitch())
        .allSatisfy(
            run -> {
              WayRun lanes = way(run, Way.KEY_LANES);
              apart(lanes, attempt -> attempt.event().order());
              for (int order = 0; order < Workload.ORDERS; order++) {
                int number = order;
                assertThat(
                        lanes.attempts().stream()
                            .filter(attempt -> attempt.event().order() == number)
                            .filter(attempt -> attempt.outcome() != Outcome.FAILED)
                            .map(attempt -> attempt.event().version()))
                    .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, run.orders().get(order).versions())
                            .boxed()
                            .toList());
              }
            });
  }

  @Test
  void failingEventIsTriedUntilItSucceedsAfterItsWaits() {
    assertThat(everySwitch())
        .filteredOn(run -> run.switches().failing() != Failing.NONE)
        .allSatisfy(
            run ->
                assertThat(run.ways())
                    .allSatisfy(
                        way -> {
                          List<Attempt> tried =
                              way.attempts().stream()
                                  .filter(
                                      attempt ->
                                          run.orders().get(attempt.event().order()).failing()
                                              && attempt.event().status() == Status.PAID)
                                  .toList();
                          assertThat(tried)
                              .extracting(Attempt::attempt)
                              .containsExactly(1, 2, 3, 4);
                          assertThat(way.retries()).isEqualTo(3);
                          for (int i = 1; i < tried.size(); i++) {
                            assertThat(tried.get(i).startMs())
                                .isGreaterThanOrEqualTo(
                                    tried.get(i - 1).endMs() + Workload.waitMs(i));
                          }
                        }));
  }

  @Test
  void sameSeedSameRunAndEachSwitchChangesIt() {
    Switches switches = new Switches(7, 4, Failing.IN_PLACE, true, false);

    assertThat(Run.of(switches)).isEqualTo(Run.of(switches));
    assertThat(
            Stream.of(
                    switches,
                    new Switches(8, 4, Failing.IN_PLACE, true, false),
                    new Switches(7, 5, Failing.IN_PLACE, true, false),
                    new Switches(7, 4, Failing.NONE, true, false),
                    new Switches(7, 4, Failing.TO_BACK, true, false),
                    new Switches(7, 4, Failing.IN_PLACE, false, false),
                    new Switches(7, 4, Failing.IN_PLACE, true, true))
                .map(set -> Run.of(set).ways()))
        .doesNotHaveDuplicates();
  }

  /** What takes the same one of something does not overlap in time. */
  private static void apart(WayRun way, ToLongFunction<Attempt> what) {
    way.attempts().stream()
        .collect(Collectors.groupingBy(what::applyAsLong))
        .forEach(
            (_, attempts) -> {
              for (int i = 1; i < attempts.size(); i++) {
                assertThat(attempts.get(i).startMs())
                    .isGreaterThanOrEqualTo(attempts.get(i - 1).endMs());
              }
            });
  }

  private static List<Run> defaults() {
    return runs(new Switches(0, 4, Failing.IN_PLACE, true, false));
  }

  /** Runs with these switches and many seeds. */
  private static List<Run> runs(Switches switches) {
    return IntStream.range(0, SEEDS).mapToObj(seed -> withSeed(switches, seed)).toList();
  }

  private static Run withSeed(Switches switches, int seed) {
    return Run.of(
        new Switches(
            seed, switches.consumers(), switches.failing(), switches.shuffled(), switches.hot()));
  }

  /** All combinations of all switches, each with some seeds. */
  private static List<Run> everySwitch() {
    List<Run> runs = new ArrayList<>();
    for (int consumers = 1; consumers <= Switches.MAX_CONSUMERS; consumers++) {
      for (Failing failing : Failing.values()) {
        for (int rest = 0; rest < 4; rest++) {
          for (int seed = 0; seed < 5; seed++) {
            runs.add(
                Run.of(
                    new Switches(
                        seed + 1000 * consumers,
                        consumers,
                        failing,
                        (rest & 1) != 0,
                        (rest & 2) != 0)));
          }
        }
      }
    }
    return runs;
  }

  private static WayRun way(Run run, Way way) {
    return run.ways().get(way.ordinal());
  }

  private static double mean(List<Run> runs, Way way, ToLongFunction<WayRun> what) {
    return runs.stream().mapToLong(run -> what.applyAsLong(way(run, way))).average().orElseThrow();
  }
}
