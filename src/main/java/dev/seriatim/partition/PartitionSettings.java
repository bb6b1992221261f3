package dev.seriatim.partition;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * The topology as configured.
 *
 * @param count Number of partitions, 1 to 4096. Used at the first start only (64 when not set);
 *     afterwards the database has it, and a pod that is configured with another number refuses to
 *     start.
 */
@Validated
@ConfigurationProperties("seriatim.partitions")
public record PartitionSettings(@Min(1) @Max(4096) @Nullable Integer count) {

  static final int DEFAULT_COUNT = 64;
}
