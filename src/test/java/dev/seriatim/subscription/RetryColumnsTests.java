package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.seriatim.subscription.RetryPolicy.Backoff;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a pod of an earlier version makes of a schedule. */
class RetryColumnsTests {

  @Test
  void backoffSpansTheSameWaitsWithAsManyAttempts() {
    Backoff closest = RetryColumns.closest(RetryPreset.STANDARD_WEBHOOKS.schedule());

    assertThat(closest.maxAttempts()).isEqualTo(10);
    assertThat(closest.initialDelay()).isEqualTo(Duration.ofSeconds(5));
    assertThat(closest.maxDelay()).isEqualTo(Duration.ofDays(1));
    assertThat(5 * Math.pow(closest.multiplier(), 8)).isCloseTo(86_400, within(0.001));
  }

  @Test
  void oddSchedulesMakeBackoffsThatTheTableTakes() {
    assertThat(closest(7))
        .isEqualTo(new Backoff(2, Duration.ofSeconds(7), 1, Duration.ofSeconds(7)));
    assertThat(closest(0, 0)).isEqualTo(new Backoff(3, Duration.ZERO, 1, Duration.ZERO));
    assertThat(closest(9, 0, 3))
        .isEqualTo(new Backoff(4, Duration.ofSeconds(3), 3, Duration.ofSeconds(9)));
    assertThat(closest(1, 600_000).multiplier()).isEqualTo(100);
  }

  private static Backoff closest(long... seconds) {
    return RetryColumns.closest(
        new Schedule(LongStream.of(seconds).mapToObj(Duration::ofSeconds).toList()));
  }
}
