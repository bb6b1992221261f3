package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a partition sends.
 *
 * @param pausedReason absent, as is {@code pausedSince}, unless it is paused
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record PartitionState(
    int partition,
    PartitionLag.State state,
    @Nullable String pausedReason,
    @Nullable Instant pausedSince) {}
