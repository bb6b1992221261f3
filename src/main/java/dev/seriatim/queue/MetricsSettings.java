package dev.seriatim.queue;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How the queue is looked at.
 *
 * @param sampleEvery How often the queue is sampled, from 100 ms to a minute. Meters, health and
 *     the actuator show the last sample and ask the database nothing themselves. What grows with
 *     the queue is counted less often while it is long, so that counting takes a hundredth of the
 *     time at most.
 */
@Validated
@ConfigurationProperties("seriatim.metrics")
public record MetricsSettings(@NotNull @DefaultValue("5s") Duration sampleEvery) {

  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  public MetricsSettings {
    if (sampleEvery.compareTo(SHORTEST) < 0 || sampleEvery.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "seriatim.metrics.sample-every (%s) must be from %s to %s"
              .formatted(sampleEvery, SHORTEST, LONGEST));
    }
  }
}
