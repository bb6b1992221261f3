package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** {@link PublishSettings} and {@link SettleSettings}. */
class PublishSettingsTests {

  @Test
  void aWholeBatchMayWait() {
    assertThatThrownBy(() -> new PublishSettings(500, 499))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "seriatim.publish.max-waiting (499) must be at least seriatim.publish.max-batch (500)");
    assertThatCode(() -> new PublishSettings(500, 500)).doesNotThrowAnyException();
  }

  @Test
  void fewVerdictsAreNotWaitedWith() {
    SettleSettings settings = new SettleSettings(500, Duration.ofMillis(2), 16);

    assertThat(settings.gather(15)).isZero();
    assertThat(settings.gather(16)).isEqualTo(2_000_000);
  }
}
