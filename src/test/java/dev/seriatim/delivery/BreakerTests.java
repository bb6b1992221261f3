package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SettableClock;
import dev.seriatim.queue.EndpointState;
import dev.seriatim.subscription.EndpointSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BreakerTests {

  private static final Duration OPEN_FOR = Duration.ofSeconds(5);
  private static final EndpointSettings.Breaker SETTINGS =
      new EndpointSettings.Breaker(true, 80, 50, 20, OPEN_FOR, Duration.ofSeconds(15));

  private final SettableClock clock = new SettableClock();
  private final Breaker breaker = new Breaker(SETTINGS, clock);
  private long lastDelivery;

  @Test
  void opensOnceEnoughOfTheLastVerdictsAreFailures() {
    // Successes count from the first failure on.
    land(50, true);
    land(1, false);
    land(4, true);
    land(14, false);
    assertThat(state()).isEqualTo(Breaker.State.CLOSED);

    // The 20th verdict, and 80 % of them are failures.
    assertThat(land(false)).isTrue();
    assertThat(state()).isEqualTo(Breaker.State.OPEN);
  }

  @Test
  void fewFailuresNeverOpenIt() {
    land(19, false);

    assertThat(state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void isHalfOpenWhenItsTimeIsOverAndClosesWhenTheProbeSucceeds() {
    land(20, false);
    clock.advance(OPEN_FOR.minusNanos(1));
    assertThat(state()).isEqualTo(Breaker.State.OPEN);
    clock.advance(Duration.ofNanos(1));
    assertThat(state()).isEqualTo(Breaker.State.HALF_OPEN);

    assertThat(land(true)).isTrue();

    assertThat(state()).isEqualTo(Breaker.State.CLOSED);
    assertThat(breaker.openings()).isZero();
    land(19, false);
    assertThat(state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void isOpenTwiceAsLongEachTimeTheProbeFailsUpToABound() {
    land(20, false);
    for (long seconds : new long[] {5, 10, 15, 15}) {
      assertThat(Duration.ofNanos(breaker.until() - clock.nanos()))
          .isEqualTo(Duration.ofSeconds(seconds));
      clock.advance(Duration.ofSeconds(seconds));
      assertThat(land(false)).isTrue();
    }
  }

  @Test
  void requestFromBeforeItOpenedSaysNothingAnyMore() {
    breaker.started(999, clock.nanos());
    land(20, false);
    clock.advance(OPEN_FOR);
    breaker.started(1000, clock.nanos());

    assertThat(breaker.landed(999, true, clock.nanos())).isFalse();
    assertThat(state()).isEqualTo(Breaker.State.HALF_OPEN);
    assertThat(breaker.landed(1000, true, clock.nanos())).isTrue();
    assertThat(state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void probeThatWasNotSentLeavesItsPlaceToTheNext() {
    land(20, false);
    clock.advance(OPEN_FOR);
    breaker.started(1000, clock.nanos());
    breaker.passed(1000);

    assertThat(land(true)).isTrue();
    assertThat(state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void newOwnerGoesOnFromWhereTheFormerWas() {
    breaker.restore(new EndpointState(true, "r", Duration.ofSeconds(3), null, 0, 2), clock.nanos());
    assertThat(state()).isEqualTo(Breaker.State.OPEN);
    clock.advance(Duration.ofSeconds(3));
    assertThat(state()).isEqualTo(Breaker.State.HALF_OPEN);

    land(false);

    assertThat(breaker.openings()).isEqualTo(3);
    assertThat(Duration.ofNanos(breaker.until() - clock.nanos())).isEqualTo(Duration.ofSeconds(15));
  }

  private Breaker.State state() {
    return breaker.state(clock.nanos());
  }

  private void land(int times, boolean well) {
    for (int i = 0; i < times; i++) {
      land(well);
    }
  }

  private boolean land(boolean well) {
    long delivery = ++lastDelivery;
    breaker.started(delivery, clock.nanos());
    return breaker.landed(delivery, well, clock.nanos());
  }
}
