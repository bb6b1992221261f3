package dev.seriatim.queue;

import jakarta.validation.constraints.Min;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How published events are written.
 *
 * @param maxBatch Most events that are written in one transaction; a larger request is one
 *     transaction of its own. An event counts once, and once more for each 16 KiB of its payload.
 * @param maxWaiting Most events that may wait to be written, counted the same way; more are
 *     answered 429.
 */
@Validated
@ConfigurationProperties("seriatim.publish")
public record PublishSettings(
    @Min(1) @DefaultValue("500") int maxBatch, @Min(1) @DefaultValue("20000") int maxWaiting) {

  public PublishSettings {
    if (maxWaiting < maxBatch) {
      throw new IllegalArgumentException(
          "seriatim.publish.max-waiting (%d) must be at least seriatim.publish.max-batch (%d)"
              .formatted(maxWaiting, maxBatch));
    }
  }
}
