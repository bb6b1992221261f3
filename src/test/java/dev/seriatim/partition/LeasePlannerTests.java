package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeasePlannerTests {

  @Test
  void sharesDifferByAtMostOneAndAddUp() {
    for (int partitions : new int[] {1, 2, 3, 5, 16, 63, 64, 65, 100, 1000, 4096}) {
      for (int pods = 1; pods <= 70; pods++) {
        List<String> workers = workers(pods);
        List<Integer> shares = shares(partitions, workers);

        assertThat(shares.stream().mapToInt(Integer::intValue).sum())
            .as("%d partitions, %d pods", partitions, pods)
            .isEqualTo(partitions);
        assertThat(Collections.max(shares) - Collections.min(shares)).isBetween(0, 1);
      }
    }
  }

  @Test
  void allPodsComeToTheSameSharesInWhateverOrderTheySeeEachOther() {
    List<String> workers = workers(7);
    List<Integer> shares = shares(64, workers);
    List<String> shuffled = new ArrayList<>(workers);
    Random random = new Random(1);

    for (int i = 0; i < 50; i++) {
      Collections.shuffle(shuffled, random);
      assertThat(workers.stream().map(self -> LeasePlanner.change(64, shuffled, self, 0)).toList())
          .isEqualTo(shares);
    }
  }

  @Test
  void shareMovesNothing() {
    List<String> workers = workers(5);
    List<Integer> shares = shares(64, workers);

    for (int i = 0; i < workers.size(); i++) {
      assertThat(LeasePlanner.change(64, workers, workers.get(i), shares.get(i))).isZero();
    }
  }

  @Test
  void newcomerCostsOnlyWhatItGets() {
    List<String> workers = workers(4);
    List<Integer> before = shares(64, workers);
    List<String> more = new ArrayList<>(workers);
    more.add("z-newcomer");

    int given =
        IntStream.range(0, 4)
            .map(i -> LeasePlanner.change(64, more, workers.get(i), before.get(i)))
            .peek(change -> assertThat(change).isNotPositive())
            .sum();

    assertThat(LeasePlanner.change(64, more, "z-newcomer", 0)).isEqualTo(-given).isEqualTo(12);
  }

  @Test
  void podThatIsNotYetOnTheListCountsItself() {
    assertThat(LeasePlanner.change(64, List.of(), "pod-1", 0)).isEqualTo(64);
    assertThat(LeasePlanner.change(64, List.of("pod-0"), "pod-1", 0)).isEqualTo(32);
  }

  @Test
  void morePodsThanPartitionsLeaveSomeWithout() {
    assertThat(shares(3, workers(5))).containsExactly(1, 1, 1, 0, 0);
  }

  private static List<Integer> shares(int partitions, List<String> workers) {
    return workers.stream().map(self -> LeasePlanner.change(partitions, workers, self, 0)).toList();
  }

  private static List<String> workers(int count) {
    return IntStream.range(0, count).mapToObj("pod-%02d"::formatted).toList();
  }
}
