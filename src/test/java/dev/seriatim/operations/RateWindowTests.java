package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RateWindowTests {

  private final RateWindow window = new RateWindow();

  @Test
  void firstCountIsNoRate() {
    assertThat(at(0, 1_000_000)).isNull();
  }

  @Test
  void ratesAreThoseOfTheLastSeconds() {
    at(0, 0);
    assertThat(at(2, 10)).isEqualTo(new Overview.Rates(5, 10, 15, 2));
    at(10, 10);
    at(15, 10);

    assertThat(at(17, 40)).isEqualTo(new Overview.Rates(2, 4, 6, 15));
  }

  @Test
  void afterATimeWithoutAnybodyItBeginsAnew() {
    at(0, 0);

    assertThat(at(3600, 1_000_000)).isNull();
    assertThat(at(3601, 1_000_007)).isEqualTo(new Overview.Rates(7, 14, 21, 1));
  }

  @Test
  void lostStatisticsAreNoNegativeRate() {
    at(0, 1_000);

    assertThat(at(2, 3)).isNull();
    assertThat(at(4, 5)).isEqualTo(new Overview.Rates(1, 2, 3, 2));
  }

  private Overview.Rates at(long second, long count) {
    return window.add(
        new RateWindow.Counters(Instant.ofEpochSecond(second), count, 2 * count, 3 * count));
  }
}
