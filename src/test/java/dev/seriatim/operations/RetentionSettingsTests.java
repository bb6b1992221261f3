package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetentionSettingsTests {

  @Test
  void eventMustNotOutliveItsDeadLetters() {
    assertThatThrownBy(() -> settings(30, 31, 30))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "seriatim.retention.dead-letters (PT720H) must be at least seriatim.retention.events"
                + " (PT744H), since a dead letter goes together with its event; 0 means for ever");
    assertThatThrownBy(() -> settings(30, 0, 30)).hasMessageContaining("events (PT0S)");
    assertThatCode(() -> settings(30, 31, 31)).doesNotThrowAnyException();
    assertThatCode(() -> settings(0, 31, 0)).doesNotThrowAnyException();
    assertThatCode(() -> settings(400, 0, 0)).doesNotThrowAnyException();
  }

  @Test
  void agesAreNeitherNegativeNorBeyondWhatATimestampHolds() {
    assertThatThrownBy(() -> settings(-1, 1, 1)).hasMessageContaining("attempts (PT-24H)");
    assertThatThrownBy(() -> settings(1, -1, 1)).hasMessageContaining("events (PT-24H)");
    assertThatThrownBy(() -> settings(1, 1, 36_501))
        .hasMessageContaining("dead-letters (PT876024H)");
    assertThatCode(() -> settings(36_500, 36_500, 36_500)).doesNotThrowAnyException();
  }

  static RetentionSettings settings(long attempts, long events, long deadLetters) {
    return new RetentionSettings(
        Duration.ofDays(attempts), Duration.ofDays(events), Duration.ofDays(deadLetters));
  }
}
