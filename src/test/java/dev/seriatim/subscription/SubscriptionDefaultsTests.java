package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.subscription.RetryPolicy.Backoff;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import dev.seriatim.subscription.RetryPolicy.Waits;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
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

  private static final Backoff USUAL =
      new Backoff(8, Duration.ofSeconds(5), 4, Duration.ofHours(10));

  @Test
  void defaultsAreTheDocumentedOnes() {
    runner.run(
        context -> {
          SubscriptionDefaults defaults = context.getBean(SubscriptionDefaults.class);
          assertThat(defaults.timeout()).isEqualTo(Duration.ofSeconds(15));
          assertThat(defaults.maxTimeout()).isEqualTo(Duration.ofSeconds(15));
          assertThat(defaults.maxInFlight()).isEqualTo(16);
          assertThat(defaults.retry().waits()).isEqualTo(USUAL);
          assertThat(defaults.retry().jitter()).isEqualTo(0.2);
          assertThat(defaults.retry().maxAge()).isEqualTo(Duration.ofDays(3));
        });
  }

  @Test
  void scheduleOrPresetTakesThePlaceOfTheBackoff() {
    assertWaits("schedule=5s,PT5M", new Schedule(seconds(5, 300)));
    assertWaits("preset=standard-webhooks", RetryPreset.STANDARD_WEBHOOKS.schedule());
    // What an environment sets to nothing is not set.
    assertWaits("schedule=", USUAL);
    assertWaits("preset=", USUAL);
    assertWaits("initial-delay=1s", new Backoff(8, Duration.ofSeconds(1), 4, Duration.ofHours(10)));
  }

  @Test
  void waitsOfTwoKindsAreRefusedWithBothNames() {
    assertRefused(
        "schedule and seriatim.delivery.retry.max-attempts are both set",
        "seriatim.delivery.retry.schedule=5s",
        "seriatim.delivery.retry.max-attempts=8");
    assertRefused(
        "preset and seriatim.delivery.retry.multiplier are both set",
        "seriatim.delivery.retry.preset=STANDARD_WEBHOOKS",
        "seriatim.delivery.retry.multiplier=2");
    assertRefused(
        "preset and seriatim.delivery.retry.schedule are both set",
        "seriatim.delivery.retry.preset=STANDARD_WEBHOOKS",
        "seriatim.delivery.retry.schedule=5s");
    assertRefused(
        "max-age is PT51H, so that seriatim.delivery.retry.preset, whose last wait begins after"
            + " PT51H35M5S, never comes to its last attempt",
        "seriatim.delivery.retry.preset=STANDARD_WEBHOOKS",
        "seriatim.delivery.retry.max-age=PT51H");
  }

  @Test
  void settingsThatContradictEachOtherAreRefusedWithBothValues() {
    assertRefused(
        "seriatim.delivery.timeout is PT20S, which is more than seriatim.delivery.max-timeout, PT15S",
        "seriatim.delivery.timeout=20s");
    assertRefused(
        "seriatim.delivery.retry.max-delay is PT10H, which is less than"
            + " seriatim.delivery.retry.initial-delay, PT11H",
        "seriatim.delivery.retry.initial-delay=PT11H");
    assertRefused("seriatim.delivery.timeout is PT0.01S", "seriatim.delivery.timeout=10ms");
  }

  @Test
  void rateLimitIsOptionalAndItsBurstIsTheLimit() {
    assertRate(null);
    assertRate(new RateLimit(10, Duration.ofSeconds(1), 10), "limit=10");
    assertRate(new RateLimit(10, Duration.ofMinutes(1), 20), "limit=10", "per=1m", "burst=20");
    assertRefused("limit", "seriatim.delivery.rate-limit.per=1m");
    assertRefused(
        "per", "seriatim.delivery.rate-limit.limit=1", "seriatim.delivery.rate-limit.per=2h");
  }

  private void assertRate(RateLimit expected, String... properties) {
    runner
        .withPropertyValues(
            Stream.of(properties)
                .map(property -> "seriatim.delivery.rate-limit." + property)
                .toArray(String[]::new))
        .run(
            context ->
                assertThat(context.getBean(SubscriptionDefaults.class).usualRateLimit())
                    .isEqualTo(expected));
  }

  @Test
  void endpointSettingsThatContradictEachOtherAreRefusedWithBothValues() {
    assertRefused(
        "seriatim.delivery.breaker.minimum-attempts is 51, which is more than"
            + " seriatim.delivery.breaker.window, 50",
        "seriatim.delivery.breaker.minimum-attempts=51");
    assertRefused(
        "seriatim.delivery.breaker.open-for is PT2M, which is more than"
            + " seriatim.delivery.breaker.max-open-for, PT1M",
        "seriatim.delivery.breaker.open-for=2m");
    assertRefused("failureRate", "seriatim.delivery.breaker.failure-rate=0");
    assertRefused("maxOpenFor", "seriatim.delivery.breaker.max-open-for=61m");
    assertRefused("after", "seriatim.delivery.disable.after=0s");
    assertRefused("volume", "seriatim.delivery.disable.volume=0");
  }

  @Test
  void circuitIsOpenTwiceAsLongEachTimeUpToItsBound() {
    runner.run(
        context -> {
          EndpointSettings settings = context.getBean(EndpointSettings.class);
          assertThat(IntStream.rangeClosed(1, 6).mapToObj(settings.breaker()::openFor))
              .extracting(Duration::toSeconds)
              .containsExactly(5L, 10L, 20L, 40L, 60L, 60L);
          assertThat(settings.breaker().openFor(Integer.MAX_VALUE)).hasSeconds(60);
          assertThat(settings.disable().after()).isEqualTo(Duration.ofDays(5));
        });
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertRefused("maxInFlight", "seriatim.delivery.max-in-flight=0");
    assertRefused("maxInFlight", "seriatim.delivery.max-in-flight=1001");
    assertRefused("maxAttempts", "seriatim.delivery.retry.max-attempts=0");
    assertRefused("multiplier", "seriatim.delivery.retry.multiplier=0.5");
    assertRefused("jitter", "seriatim.delivery.retry.jitter=1.5");
    assertRefused("initialDelay", "seriatim.delivery.retry.initial-delay=-1s");
    assertRefused("maxDelay", "seriatim.delivery.retry.max-delay=P8D");
    assertRefused("maxAge", "seriatim.delivery.retry.max-age=P91D");
    assertRefused("schedule[1]", "seriatim.delivery.retry.schedule=1s,-1s");
    assertRefused("schedule[0]", "seriatim.delivery.retry.schedule=P8D");
    assertRefused("schedule", "seriatim.delivery.retry.schedule=" + "1s,".repeat(99) + "1s");
  }

  private void assertWaits(String property, Waits waits) {
    runner
        .withPropertyValues("seriatim.delivery.retry." + property)
        .run(
            context ->
                assertThat(context.getBean(SubscriptionDefaults.class).retry().waits())
                    .isEqualTo(waits));
  }

  private static List<Duration> seconds(long... seconds) {
    return LongStream.of(seconds).mapToObj(Duration::ofSeconds).toList();
  }

  private void assertRefused(String message, String... properties) {
    runner
        .withPropertyValues(properties)
        .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
  }

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties({SubscriptionDefaults.class, EndpointSettings.class})
  static class Settings {}
}
