package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShutdownSettingsTests {

  private static final Duration ANSWER = Duration.ofSeconds(5);

  @Test
  void graceHoldsAllThatAStopMayTake() {
    assertThatCode(() -> settings(20, 5, 35L).mustFit(ANSWER)).doesNotThrowAnyException();

    assertThatThrownBy(() -> settings(20, 5, 34L).mustFit(ANSWER))
        .isInstanceOf(GracePeriodTooShortException.class)
        .hasMessage(
            "seriatim.shutdown.grace-period (PT34S) must be at least PT35S:"
                + " seriatim.shutdown.pre-stop (PT5S),"
                + " spring.lifecycle.timeout-per-shutdown-phase (PT5S) for requests that come in,"
                + " seriatim.shutdown.drain (PT20S) for deliveries under way, and PT5S to give"
                + " partitions back. Give the platform's grace period more time and say so here,"
                + " or lower the drain");
    assertThatThrownBy(() -> settings(20, 6, 35L).mustFit(ANSWER)).hasMessageContaining("PT36S");
    assertThatThrownBy(() -> settings(20, 5, 35L).mustFit(ANSWER.plusSeconds(1)))
        .hasMessageContaining("PT36S");
  }

  @Test
  void unknownGraceIsNotJudged() {
    assertThatCode(() -> settings(3600, 5, null).mustFit(ANSWER)).doesNotThrowAnyException();
  }

  @Test
  void timesAreNotNegative() {
    assertThatThrownBy(() -> settings(-1, 0, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "seriatim.shutdown.drain (PT-1S) and seriatim.shutdown.pre-stop (PT0S) must not be negative");
    assertThatThrownBy(() -> settings(0, -1, null)).hasMessageContaining("pre-stop (PT-1S)");
  }

  private static ShutdownSettings settings(long drain, long preStop, @Nullable Long grace) {
    return new ShutdownSettings(
        Duration.ofSeconds(drain),
        Duration.ofSeconds(preStop),
        grace == null ? null : Duration.ofSeconds(grace));
  }
}
