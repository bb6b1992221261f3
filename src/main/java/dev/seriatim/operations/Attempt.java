package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One request to a receiver, as it went.
 *
 * @param attempt 1, 2, … of its delivery
 * @param owner name of the pod that made it
 * @param epoch of the lease it was made under
 * @param status of the answer, absent without one
 * @param address that was dialled
 * @param location of a redirect, which is never followed
 * @param responseHeaders one {@code name: value} a line
 * @param responseBody its beginning, as text; what is not UTF-8 shows as U+FFFD
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Attempt(
    Instant at,
    int attempt,
    String owner,
    long epoch,
    String verdict,
    @Nullable Integer status,
    Duration duration,
    @Nullable String address,
    @Nullable String location,
    @Nullable String responseHeaders,
    @Nullable String responseBody) {

  /**
   * An attempt in the history of all of them.
   *
   * @param tenant absent, as is {@code subscription}, when nothing of the subscription is kept
   * @param event absent when the event is no longer kept
   * @param key absent, as is {@code sequence}, for the ordering scope {@code NONE}
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @Schema(name = "ListedAttempt")
  record Listed(
      @Nullable String tenant,
      @Nullable String event,
      @Nullable String subscription,
      @Nullable String key,
      @Nullable Long sequence,
      int partition,
      @JsonUnwrapped Attempt request) {}
}
