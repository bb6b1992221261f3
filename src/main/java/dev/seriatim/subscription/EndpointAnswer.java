package dev.seriatim.subscription;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How an endpoint is doing, as its owner last wrote it down; read-only. */
@Schema(
    name = "Endpoint",
    description = "How the endpoint is doing",
    accessMode = Schema.AccessMode.READ_ONLY)
@JsonInclude(JsonInclude.Include.NON_NULL)
record EndpointAnswer(
    @Schema(
            description =
                "Its circuit breaker. OPEN: nothing is sent until the time. HALF_OPEN: one request"
                    + " at a time, until one succeeds")
        State state,
    @Schema(description = "Why nothing, or little, is sent") @Nullable String reason,
    @Schema(description = "When the circuit opened") @Nullable Instant since,
    @Schema(description = "Nothing is sent before; also where the endpoint asked for a wait")
        @Nullable Instant until,
    @Schema(description = "The first failure after the last success")
        @Nullable Instant failingSince) {

  enum State {
    CLOSED,
    OPEN,
    HALF_OPEN
  }

  /** Of one that nothing is known against. */
  static final EndpointAnswer CLOSED = new EndpointAnswer(State.CLOSED, null, null, null, null);
}
