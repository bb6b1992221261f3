package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.subscription.TargetGuard;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class SenderSettingsTests {

  private final ApplicationContextRunner context =
      new ApplicationContextRunner()
          .withUserConfiguration(SenderConfiguration.class)
          .withBean(TargetGuard.class, SenderHarness::loopback)
          .withBean(Clock.class, Clock::systemUTC)
          .withBean(MonotonicClock.class, () -> System::nanoTime);

  @Test
  void defaultsAreFiveSecondsAndSixteenKilobytes() {
    context.run(
        started -> {
          assertThat(started).hasSingleBean(WebhookSender.class);
          SenderSettings settings = started.getBean(SenderSettings.class);
          assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
          assertThat(settings.responseBytes()).isEqualTo(16 * 1024);
        });
  }

  @Test
  void badValueStopsTheStartWithASentence() {
    context
        .withPropertyValues("seriatim.delivery.connect-timeout=0s")
        .run(
            failed ->
                assertThat(failed)
                    .getFailure()
                    .rootCause()
                    .hasMessage(
                        "seriatim.delivery.connect-timeout must be from 1 ms to 5 min, not PT0S"));
    context
        .withPropertyValues("seriatim.delivery.response-limit=2MB")
        .run(
            failed ->
                assertThat(failed)
                    .getFailure()
                    .rootCause()
                    .hasMessage(
                        "seriatim.delivery.response-limit must be from 0 to 1 MB, not 2097152B"));
  }
}
