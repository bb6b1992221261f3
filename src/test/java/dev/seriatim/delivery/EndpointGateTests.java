package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SettableClock;
import dev.seriatim.queue.EndpointState;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.EndpointSettings;
import dev.seriatim.subscription.RateLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndpointGateTests {

  private static final Verdict WELL = new Verdict.Delivered(200);
  private static final int USUAL = 16;

  private final SettableClock clock = new SettableClock();
  private final EndpointSettings settings =
      new EndpointSettings(
          new EndpointSettings.Breaker(
              true, 80, 50, 20, Duration.ofSeconds(5), Duration.ofMinutes(1)),
          new EndpointSettings.Disable(true, Duration.ofDays(5), 100));
  private EndpointGate gate = gate(EndpointState.WELL);
  private long lastDelivery;

  @Test
  void letsEverythingPassWhileNothingIsKnownAgainstIt() {
    send(WELL, 100);

    assertThat(atOnce()).isEqualTo(Integer.MAX_VALUE);
    assertThat(waits()).isFalse();
    assertThat(gate.changed()).isFalse();
  }

  @Test
  void openCircuitLetsNothingPassAndHalfOpenOneAtATime() {
    send(status(500), 20);
    assertThat(atOnce()).isZero();
    assertThat(gate.passage(clock.nanos()).from() - clock.nanos())
        .isEqualTo(Duration.ofSeconds(5).toNanos());

    clock.advance(Duration.ofSeconds(5));
    assertThat(atOnce()).isEqualTo(1);
    send(WELL, 1);

    assertThat(atOnce()).isEqualTo(Integer.MAX_VALUE);
  }

  /** One poisonous event, tried again and again, must not stop the others. */
  @Test
  void verdictsOnTheEventOpenNothing() {
    send(status(400), 50);
    send(status(302), 50);
    send(new Verdict.Failed(VerdictCode.BLOCKED, null, null), 50);

    assertThat(atOnce()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void probeThatIsRefusedForItsEventLeavesItsPlaceToTheNext() {
    send(status(500), 20);
    clock.advance(Duration.ofSeconds(5));

    send(status(422), 1);

    assertThat(gate.state(clock.nanos())).isEqualTo(Breaker.State.HALF_OPEN);
    send(WELL, 1);
    assertThat(gate.state(clock.nanos())).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void tooMuchHalvesWhatMayGoAtOnceAndEachSuccessGivesOneBack() {
    for (int status : new int[] {429, 502, 503}) {
      send(status(status), 1);
    }
    assertThat(atOnce()).isEqualTo(2);
    send(status(504), 2);
    assertThat(atOnce()).isEqualTo(1);
    send(status(504), 1);
    assertThat(atOnce()).isEqualTo(1);

    send(WELL, 14);
    assertThat(atOnce()).isEqualTo(15);
    send(WELL, 1);
    assertThat(atOnce()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void retryAfterHoldsAllLanesForAnHourAtMost() {
    send(failed(503, Duration.ofSeconds(30)), 1);
    assertThat(atOnce()).isZero();
    clock.advance(Duration.ofSeconds(30));
    assertThat(atOnce()).isEqualTo(8);

    send(failed(429, Duration.ofHours(9)), 1);
    clock.advance(Duration.ofHours(1).minusNanos(1));
    assertThat(atOnce()).isZero();
    clock.advance(Duration.ofNanos(1));
    assertThat(atOnce()).isEqualTo(4);
  }

  @Test
  void retryAfterBesideAnotherStatusIsTheHeadsOwnAffair() {
    send(failed(500, Duration.ofSeconds(30)), 1);
    send(failed(404, Duration.ofSeconds(30)), 1);

    assertThat(atOnce()).isEqualTo(Integer.MAX_VALUE);
  }

  // I6: what was not sent costs nothing.
  @Test
  void requestThatDidNotGoOutGivesTokenAndProbeBack() {
    gate.limits(USUAL, new RateLimit(1, Duration.ofMinutes(1), 1), clock.nanos());
    send(status(500), 20);
    clock.advance(Duration.ofHours(1));
    gate.started(1000, clock.nanos());
    assertThat(waits()).isTrue();

    gate.notSent(1000);

    assertThat(waits()).isFalse();
    send(WELL, 1);
    assertThat(gate.state(clock.nanos())).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void nextOwnerGoesOnFromWhatWasWrittenDown() {
    send(failed(503, Duration.ofSeconds(30)), 20);
    assertThat(gate.changed()).isTrue();
    EndpointState left = gate.recordable(clock.nanos());
    gate.recorded(left);
    assertThat(gate.changed()).isFalse();
    assertThat(left.open()).isTrue();
    assertThat(left.shutFor()).isEqualTo(Duration.ofSeconds(30));
    assertThat(left.failures()).isEqualTo(20);

    gate = gate(left);

    assertThat(atOnce()).isZero();
    clock.advance(Duration.ofSeconds(30));
    assertThat(atOnce()).isEqualTo(1);
    send(WELL, 1);
    assertThat(gate.changed()).isTrue();
    assertThat(gate.recordable(clock.nanos())).isEqualTo(EndpointState.WELL);
  }

  @Test
  void failingIsWrittenDownOnceItLasts() {
    send(status(400), 10);
    assertThat(gate.changed()).isFalse();
    clock.advance(Duration.ofMinutes(1));
    send(status(400), 1);
    assertThat(gate.changed()).isTrue();
    EndpointState left = gate.recordable(clock.nanos());
    gate.recorded(left);

    send(status(400), 10);

    assertThat(gate.changed()).isFalse();
    assertThat(left).isEqualTo(new EndpointState(false, null, null, Duration.ofMinutes(1), 11, 0));
  }

  @Test
  void isGivenUpAfterBothTheTimeAndTheVolume() {
    gate = gate(new EndpointState(false, null, null, Duration.ofDays(4), 10, 0));
    send(status(400), 10);
    assertThat(gate.failsForTooLong(clock.nanos())).isFalse();
    clock.advance(Duration.ofDays(1));
    send(status(400), 1);

    assertThat(gate.failsForTooLong(clock.nanos())).isTrue();
    // Looking up what is queued is not for free.
    assertThat(gate.failsForTooLong(clock.nanos())).isFalse();
    assertThat(gate.disableReason(78, clock.nanos())).isNull();
    assertThat(gate.disableReason(79, clock.nanos()))
        .isEqualTo(
            "no success for PT120H: 21 failed attempts, 79 deliveries queued, the last verdict"
                + " CLIENT_ERROR 400");
  }

  @Test
  void oneSuccessBeginsTheTimeAnew() {
    gate = gate(new EndpointState(false, null, null, Duration.ofDays(9), 1000, 0));
    send(WELL, 1);
    send(status(500), 1);

    assertThat(gate.failsForTooLong(clock.nanos())).isFalse();
    assertThat(gate.disableReason(1000, clock.nanos())).isNotNull();
  }

  private EndpointGate gate(EndpointState former) {
    EndpointGate made = new EndpointGate(settings, clock, former, clock.nanos());
    made.limits(USUAL, null, clock.nanos());
    return made;
  }

  private int atOnce() {
    return gate.passage(clock.nanos()).atOnce();
  }

  private boolean waits() {
    return gate.passage(clock.nanos()).from() - clock.nanos() > 0;
  }

  private void send(Verdict verdict, int times) {
    for (int i = 0; i < times; i++) {
      long delivery = ++lastDelivery;
      gate.started(delivery, clock.nanos());
      var _ = gate.landed(delivery, verdict, clock.nanos());
    }
  }

  private static Verdict status(int status) {
    return failed(status, null);
  }

  private static Verdict failed(int status, @Nullable Duration retryAfter) {
    return switch (Verdicts.of(status, retryAfter)) {
      case Verdict.Failed failed -> failed;
      case Verdict.Delivered _, Verdict.Gone _ -> throw new IllegalArgumentException();
    };
  }
}
