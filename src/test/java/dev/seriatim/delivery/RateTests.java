package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.subscription.RateLimit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RateTests {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  /** The nanoseconds of a clock may overflow. */
  private static final long START = Long.MAX_VALUE - SECOND;

  @Test
  void restFillsTheBucketUpToTheBurst() {
    Rate rate = new Rate(new RateLimit(10, Duration.ofSeconds(1), 20), START - 100 * SECOND);

    for (int i = 0; i < 20; i++) {
      assertThat(rate.nextAt(START)).isEqualTo(START);
      rate.take(START);
    }

    assertThat(rate.nextAt(START)).isEqualTo(START + SECOND / 10);
  }

  @Test
  void newOwnerBeginsWithOneTokenBecauseTheFormerMayHaveUsedTheRest() {
    Rate rate = new Rate(new RateLimit(10, Duration.ofSeconds(1), 20), START);

    assertThat(rate.nextAt(START)).isEqualTo(START);
    rate.take(START);

    assertThat(rate.nextAt(START)).isEqualTo(START + SECOND / 10);
  }

  @Test
  void requestThatDidNotGoOutGivesItsTokenBack() {
    Rate rate = new Rate(new RateLimit(1, Duration.ofMinutes(1), 1), START);
    rate.take(START);
    assertThat(rate.nextAt(START)).isEqualTo(START + 60 * SECOND);

    rate.giveBack();

    assertThat(rate.nextAt(START)).isEqualTo(START);
  }

  @Test
  void noWindowHoldsMoreThanTheRateAndABurst() {
    Random random = new Random(5);
    RateLimit limit = new RateLimit(7, Duration.ofSeconds(1), 3);
    Rate rate = new Rate(limit, START);
    Deque<Long> lastSecond = new ArrayDeque<>();
    long now = START;
    int sent = 0;
    for (int i = 0; i < 10_000; i++) {
      now += random.nextLong(SECOND / 10);
      while (rate.nextAt(now) - now <= 0) {
        rate.take(now);
        lastSecond.add(now);
        sent++;
      }
      while (now - lastSecond.element() >= SECOND) {
        lastSecond.remove();
      }
      // GCRA: in any window of a second limit + burst at the most.
      assertThat(lastSecond.size()).isLessThanOrEqualTo(limit.limit() + limit.burst());
    }
    double seconds = (now - START) / 1e9;
    assertThat(sent / seconds).isBetween(6.9, 7.01);
  }
}
