package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.seriatim.queue.VerdictCode;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lane as an operator sees it.
 *
 * @param subscription absent for the ordering scope {@code TENANT}, whose lane is shared by all of
 *     the tenant's subscriptions with it
 * @param partition absent, as are {@code oldestAgeSeconds} and {@code head}, when nothing is queued
 * @param partitionPausedReason why nothing of its partition is sent; absent unless it is paused
 * @param heldBy absent, as is {@code reason}, unless it is held
 * @param heldSince absent unless the lane itself is held
 * @param depth deliveries in line, the head included
 * @param oldestAgeSeconds since the head was published
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Lane(
    long id,
    String tenant,
    @Nullable String subscription,
    String key,
    @Nullable Integer partition,
    @Nullable String partitionPausedReason,
    State state,
    @Nullable HeldBy heldBy,
    @Nullable String reason,
    @Nullable Instant heldSince,
    long depth,
    @Nullable Double oldestAgeSeconds,
    @Nullable Queued head) {

  /** What a lane does, which follows from its own state and from its head. */
  enum State {
    /** Its head is sent as soon as it is its turn. Its owner moves it on. */
    ACTIVE,
    /** Its head has failed and is tried again. Its owner moves it on, or an operator. */
    WAITING,
    /** Nothing of it is sent. See {@link HeldBy} for who moves it on. */
    HELD
  }

  /** Whose doing it is that a lane is held. */
  enum HeldBy {
    /** Its head ran out of attempts or time. Resuming it or skipping the head moves it on. */
    POLICY,
    /** Somebody parked it. Resuming moves it on. */
    OPERATOR,
    /** The subscription of its head is disabled. Enabling or deleting that moves it on. */
    SUBSCRIPTION
  }

  /** What lists can be ordered by. */
  enum Sort {
    /** Held, failing or, if neither, published for the longest time first. */
    AGE,
    /** Longest first. */
    DEPTH
  }

  /**
   * A delivery in line.
   *
   * @param attempts that came to a verdict since it was published or had a new start
   * @param lastVerdict absent before the first attempt
   * @param firstAttemptAt when it began to fail, absent as long as it has not
   * @param nextAttemptAt after a failed attempt; may have passed
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @Schema(name = "QueuedDelivery")
  record Queued(
      String event,
      String eventType,
      String subscription,
      long sequence,
      int attempts,
      @Schema(implementation = VerdictCode.class) @Nullable String lastVerdict,
      @Nullable Instant firstAttemptAt,
      @Nullable Instant nextAttemptAt,
      Instant enqueuedAt) {}

  /**
   * One lane with what is next.
   *
   * @param line the first in line, at most {@link LaneQuery#LINE}, the head first
   * @param recentAttempts of the head, newest first, at most {@link RecentAttempts#MOST}
   */
  @Schema(name = "LaneDetail")
  record Detail(@JsonUnwrapped Lane lane, List<Queued> line, List<Attempt> recentAttempts) {}
}
