package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class LeaseSettingsTests {

  @Test
  void renewalMayFailTwice() {
    assertThatThrownBy(() -> settings(30, 11, 1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "seriatim.lease.renew-every (PT11S) must be at most a third of seriatim.lease.ttl (PT30S),"
                + " so that two renewals may fail");
    assertThatCode(() -> settings(30, 10, 1, 2)).doesNotThrowAnyException();
  }

  @Test
  void timesArePositive() {
    assertRefused(() -> settings(30, 0, 1, 2), "renew-every (PT0S)");
    assertRefused(() -> settings(30, -1, 1, 2), "renew-every (PT-1S)");
    assertRefused(() -> settings(30, 10, 0, 2), "sweep-every (PT0S)");
    assertRefused(() -> settings(30, 10, -1, 2), "sweep-every (PT-1S)");
    assertRefused(() -> settings(30, 10, 1, -1), "margin (PT-1S)");
    assertRefused(() -> settings(0, 0, 1, 0), "renew-every (PT0S)");
  }

  @Test
  void podThatLostItsConnectionHasTimeToReplaceItBeforeItIsTakenForDead() {
    assertThatThrownBy(() -> graced(1001, 3000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "seriatim.lease.sweep-every (PT1.001S) must be at most a third of"
                + " seriatim.lease.takeover-grace (PT3S), so that a pod that lost its connection"
                + " replaces it before others take it for dead; or set the grace to 0");
    assertThatThrownBy(() -> graced(1000, 30_000))
        .hasMessageContaining(
            "seriatim.lease.takeover-grace (PT30S) must be shorter than seriatim.lease.ttl (PT30S)");
    assertThatThrownBy(() -> graced(1000, -1)).hasMessageContaining("takeover-grace (PT-0.001S)");
    assertThatCode(() -> graced(1000, 3000)).doesNotThrowAnyException();
    assertThatCode(() -> graced(1000, 0)).doesNotThrowAnyException();
  }

  private static LeaseSettings graced(int sweepMillis, int graceMillis) {
    return new LeaseSettings(
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofMillis(sweepMillis),
        Duration.ofSeconds(2),
        Duration.ofMillis(graceMillis));
  }

  private static void assertRefused(ThrowingCallable settings, String named) {
    assertThatThrownBy(settings)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be positive")
        .hasMessageContaining(named);
  }

  /** Right before a renewal, 30 - 10 - 2 seconds are left: a send of 18 seconds could not start. */
  @Test
  void leaseOutlivesTheLongestSend() {
    LeaseSettings settings = settings(30, 10, 1, 2);

    assertThatCode(() -> settings.mustOutlive(Duration.ofSeconds(17), "x"))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () -> settings.mustOutlive(Duration.ofSeconds(18), "seriatim.delivery.max-timeout"))
        .isInstanceOf(LeaseTooShortException.class)
        .hasMessage(
            "seriatim.lease.ttl (PT30S) less seriatim.lease.renew-every (PT10S) and"
                + " seriatim.lease.margin (PT2S) leaves PT18S,"
                + " which must be longer than seriatim.delivery.max-timeout (PT18S):"
                + " raise the ttl or lower the timeout");
  }

  private static LeaseSettings settings(int ttl, int renewEvery, int sweepEvery, int margin) {
    return new LeaseSettings(
        Duration.ofSeconds(ttl),
        Duration.ofSeconds(renewEvery),
        Duration.ofSeconds(sweepEvery),
        Duration.ofSeconds(margin),
        Duration.ofSeconds(3));
  }
}
