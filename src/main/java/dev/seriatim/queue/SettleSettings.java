package dev.seriatim.queue;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How verdicts are written.
 *
 * @param maxBatch Most verdicts that are written in one statement.
 * @param gather How long to wait for more verdicts before a statement while many are arriving; none
 *     waits when few are.
 * @param gatherFrom From how many waiting verdicts on they are many.
 */
@Validated
@ConfigurationProperties("seriatim.settle")
public record SettleSettings(
    @Min(1) @Max(5000) @DefaultValue("500") int maxBatch,
    @NotNull @DefaultValue("0ms") Duration gather,
    @Min(1) @DefaultValue("16") int gatherFrom) {

  long gather(int waiting) {
    return waiting >= gatherFrom ? gather.toNanos() : 0;
  }
}
