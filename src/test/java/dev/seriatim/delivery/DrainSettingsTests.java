package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DrainSettingsTests {

  private static final Duration POLL = Duration.ofMillis(500);

  @Test
  void partitionHasRoomForALane() {
    assertThatThrownBy(() -> new DrainSettings(64, 33, 32, 2000, 512, 1000, POLL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "seriatim.drain.buffer-per-partition (32) must be at least"
                + " seriatim.drain.buffer-per-lane (33)");
    assertThatCode(() -> new DrainSettings(64, 32, 32, 2000, 512, 1000, POLL))
        .doesNotThrowAnyException();
  }

  @Test
  void onePartitionDoesNotExceedThePod() {
    assertThatThrownBy(() -> new DrainSettings(513, 32, 4000, 2000, 512, 1000, POLL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "seriatim.drain.lanes-per-partition (513) must be at most"
                + " seriatim.drain.max-in-flight (512)");
  }

  @Test
  void pollIntervalIsPositive() {
    for (Duration wrong : new Duration[] {Duration.ZERO, Duration.ofMillis(-1)}) {
      assertThatThrownBy(() -> new DrainSettings(64, 32, 4000, 2000, 512, 1000, wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("seriatim.drain.poll-every must be positive");
    }
  }

  @Test
  void oneEndpointNeverTakesAllOfAPartition() {
    DrainSettings settings = new DrainSettings(64, 32, 32, 2000, 512, 1000, POLL);

    assertThat(settings.cap(16)).isEqualTo(16);
    assertThat(settings.cap(1000)).isEqualTo(48);
    assertThat(new DrainSettings(1, 32, 32, 2000, 512, 1000, POLL).cap(16)).isEqualTo(1);
  }
}
