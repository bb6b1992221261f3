package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Work that takes many transactions, and how far it is.
 *
 * @param id grows from job to job
 * @param parameters what was asked for, and what was fixed when it was
 * @param operator whose token asked for it
 * @param total deliveries when it was asked for; absent when they are not counted beforehand
 * @param done deliveries that are back in the queue because of it
 * @param skipped deliveries that it left as they were, because they were queued or gone
 * @param position how far it has come, for a person; absent before the first step
 * @param error why it failed, or why its last step did, which is tried again
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Job(
    long id,
    JobKind kind,
    @Schema(type = "object") JsonNode parameters,
    String operator,
    State state,
    @Nullable Long total,
    long done,
    long skipped,
    @Schema(type = "object") @Nullable JsonNode position,
    @Nullable String error,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant finishedAt) {

  enum State {
    /** No step was done so far. A pod moves it on, or an operator who cancels it. */
    QUEUED,
    /** At least one step was done. Moved on in the same way. */
    RUNNING,
    /** Nothing is left to do. Final. */
    DONE,
    /** What was done until then stays done. Final. */
    CANCELLED,
    /** It cannot go on, as its error tells. What was done until then stays done. Final. */
    FAILED
  }
}
