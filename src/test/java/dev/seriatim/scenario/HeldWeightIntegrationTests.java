package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * I1: what is held weighs on nobody. A pod with weight and one without take turns, so that both see
 * the same noise of the machine; what is compared are medians. The bounds are far wider than what a
 * quiet machine shows ({@code performance.md}): a neighbour's build moves a median of some
 * milliseconds by half. What they do catch is weight that is read: half a million rows take
 * seconds.
 */
class HeldWeightIntegrationTests {

  private static final int PROBES = Integer.getInteger("weight.probes", 30);
  private static final int TAKEOVERS = Integer.getInteger("weight.takeovers", 7);
  private static final int DISABLED_ROWS_EACH = Integer.getInteger("weight.rows", 100);
  private static final double BOUND = 4;

  private final WeighedPod light = new WeighedPod();
  private final WeighedPod heavy = new WeighedPod();

  @AfterEach
  void close() {
    heavy.close();
    light.close();
  }

  /** Also the start of an owner that met them before they stood aside, as after a crash. */
  @ParameterizedTest
  @CsvSource({"1, 500000", "10000, 50", "2000, 5"})
  void heldRowsDelayNobodyElse(int lanes, int rowsEach) {
    compare("warm-up", PROBES, WeighedPod::probe);
    compare("before", PROBES, WeighedPod::probe);
    compare("takeover before", TAKEOVERS, WeighedPod::takeOver);

    heavy.holdLanes(lanes, rowsEach);
    // Stands behind all of them, and is the last to wait for them.
    heavy.probe();
    assertThat(compare("while they move aside", PROBES, WeighedPod::probe)).isLessThan(BOUND);
    Patience.until("all aside", Duration.ofMinutes(5), heavy::allAside);

    assertThat(compare("aside", PROBES, WeighedPod::probe)).isLessThan(BOUND);
    compare("takeover, not vacuumed", TAKEOVERS, WeighedPod::takeOver);
    heavy.vacuum();
    assertThat(compare("takeover", TAKEOVERS, WeighedPod::takeOver)).isLessThan(BOUND);
    assertThat(compare("during a new owner's pass", PROBES, WeighedPod::probe)).isLessThan(BOUND);
    assertThat(heavy.queued()).isEqualTo(lanes * rowsEach);
  }

  @Test
  void disabledSubscriptionWeighsNothingAndComesBackInOrder() {
    compare("warm-up", PROBES, WeighedPod::probe);
    heavy.disable();
    heavy.queue(1000, DISABLED_ROWS_EACH);
    Patience.until("all aside", Duration.ofMinutes(5), heavy::allAside);
    assertThat(compare("disabled aside", PROBES, WeighedPod::probe)).isLessThan(BOUND);
    heavy.vacuum();
    assertThat(compare("takeover", TAKEOVERS, WeighedPod::takeOver)).isLessThan(BOUND);

    heavy.enable();
    Map<String, Long> last = new HashMap<>();
    int arrived = 0;
    while (arrived < 20_000) {
      heavy.receiver().awaitArrived(1, "delivery", request -> request.path().equals("/heavy"));
      for (Received request : heavy.receiver().drainLog()) {
        arrived++;
        long former = last.getOrDefault(request.header("seriatim-key"), 0L);
        assertThat(request.sequence()).as(request.toString()).isEqualTo(former + 1);
        last.put(request.header("seriatim-key"), request.sequence());
      }
    }
    assertThat(last).hasSizeGreaterThan(64);
    Patience.until("all back", Duration.ofMinutes(5), heavy::noneAside);
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void deletingAnEndpointCancelsItsHundredThousandInBoundedSteps(boolean aside) {
    compare("warm-up", PROBES, WeighedPod::probe);
    heavy.disable();
    heavy.queue(1000, 100);
    if (aside) {
      Patience.until("all aside", Duration.ofMinutes(2), heavy::allAside);
    }
    heavy.countRemoved();

    heavy.delete();

    assertThat(compare("while it is cancelled", PROBES, WeighedPod::probe)).isLessThan(BOUND);
    Patience.until("all cancelled", Duration.ofMinutes(2), () -> heavy.queued() == 0);
    // A page of the partition, a step of what comes back, or the first rows of two hundred lanes.
    assertThat(heavy.mostRemovedAtOnce()).isBetween(1, 4000);
    assertThat(heavy.receiver().log(request -> request.path().equals("/heavy"))).isEmpty();
  }

  /**
   * @return with weight to without
   */
  private double compare(String what, int times, Function<WeighedPod, Duration> measure) {
    long[] without = new long[times];
    long[] with = new long[times];
    for (int i = 0; i < times; i++) {
      without[i] = measure.apply(light).toNanos();
      with[i] = measure.apply(heavy).toNanos();
    }
    List.of(with, without).forEach(Arrays::sort);
    double ratio = (double) with[times / 2] / without[times / 2];
    System.out.printf(
        "%-26s n=%d: median %.2f ms with weight, %.2f ms without = %.2f; nine in ten within %.2f and %.2f ms%n",
        what,
        times,
        with[times / 2] / 1e6,
        without[times / 2] / 1e6,
        ratio,
        with[times * 9 / 10] / 1e6,
        without[times * 9 / 10] / 1e6);
    return ratio;
  }
}
