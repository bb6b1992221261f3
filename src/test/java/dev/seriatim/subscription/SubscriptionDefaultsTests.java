package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.annotation.Configuration;

class SubscriptionDefaultsTests {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
          .withUserConfiguration(Settings.class);

  @Test
  void defaultsAreTheDocumentedOnes() {
    runner.run(
        context ->
            assertThat(context.getBean(SubscriptionDefaults.class))
                .isEqualTo(
                    new SubscriptionDefaults(
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(15),
                        16,
                        new SubscriptionDefaults.Retry(
                            8,
                            Duration.ofSeconds(5),
                            4.0,
                            Duration.ofHours(10),
                            0.2,
                            Duration.ofDays(3)))));
  }

  @Test
  void settingsThatContradictEachOtherAreRefusedWithBothValues() {
    assertRefused(
        "seriatim.delivery.timeout=20s",
        "seriatim.delivery.timeout is PT20S, which is more than seriatim.delivery.max-timeout, PT15S");
    assertRefused(
        "seriatim.delivery.retry.initial-delay=PT11H",
        "seriatim.delivery.retry.max-delay is PT10H, which is less than"
            + " seriatim.delivery.retry.initial-delay, PT11H");
    assertRefused("seriatim.delivery.timeout=10ms", "seriatim.delivery.timeout is PT0.01S");
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertRefused("seriatim.delivery.max-in-flight=0", "maxInFlight");
    assertRefused("seriatim.delivery.max-in-flight=1001", "maxInFlight");
    assertRefused("seriatim.delivery.retry.max-attempts=0", "maxAttempts");
    assertRefused("seriatim.delivery.retry.multiplier=0.5", "multiplier");
    assertRefused("seriatim.delivery.retry.jitter=1.5", "jitter");
    assertRefused("seriatim.delivery.retry.initial-delay=-1s", "initialDelay");
    assertRefused("seriatim.delivery.retry.max-delay=P8D", "maxDelay");
    assertRefused("seriatim.delivery.retry.max-age=P91D", "maxAge");
  }

  private void assertRefused(String property, String message) {
    runner
        .withPropertyValues(property)
        .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(SubscriptionDefaults.class)
  static class Settings {}
}
