package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.queue.EjectReason;
import dev.seriatim.queue.Replay;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators ask for when they want deliveries back in the queue. */
final class ReplayRequest {

  private ReplayRequest() {}

  static Replay orOriginal(@Nullable Replay as) {
    return as == null ? Replay.ORIGINAL : as;
  }

  /**
   * One dead letter.
   *
   * @param as ORIGINAL when missing
   */
  @Schema(name = "DeadLetterReplay")
  record One(@Nullable Replay as) {}

  /**
   * Those of a filter, that of their list.
   *
   * @param from ejected at or after this time
   * @param to ejected before this time
   * @param all true to replay all there are, instead of a filter
   * @param as ORIGINAL when missing
   * @param dryRun true to be told how many there are
   */
  @Schema(name = "DeadLettersReplay")
  record Many(
      @Nullable String tenant,
      @Nullable String subscription,
      @Nullable String key,
      @Schema(implementation = EjectReason.class) @Nullable String reason,
      @Schema(format = "date-time") @Nullable String from,
      @Schema(format = "date-time") @Nullable String to,
      @Nullable Boolean all,
      @Nullable Replay as,
      @Nullable Boolean dryRun) {

    /**
     * @throws ProblemException when it is not acceptable, or when nothing says that all are meant
     */
    DeadLetterFilter filter() {
      DeadLetterFilter filter = DeadLetterFilter.of(tenant, subscription, key, reason, from, to);
      boolean everything = Boolean.TRUE.equals(all);
      if (filter.isEmpty() && !everything) {
        throw new ProblemException(
            ProblemType.INVALID_REQUEST,
            "Say which: tenant, subscription, key, reason, from or to; or \"all\": true");
      }
      if (!filter.isEmpty() && everything) {
        throw ProblemException.invalid("all", "must be left out when a filter is given");
      }
      return filter;
    }
  }

  /**
   * The events of a time range.
   *
   * @param from published at or after this time
   * @param to published before this time; now when missing
   * @param eventTypes exact names, prefixes such as {@code order.*}, or {@code *}; all when missing
   * @param as ORIGINAL when missing
   * @param dryRun true to be told how many there are
   */
  @Schema(name = "Redelivery")
  record Range(
      @Schema(format = "date-time", requiredMode = Schema.RequiredMode.REQUIRED)
          @Nullable String from,
      @Schema(format = "date-time") @Nullable String to,
      @Schema(example = "[\"order.*\"]") @Nullable List<@Nullable String> eventTypes,
      @Nullable Replay as,
      @Nullable Boolean dryRun) {}

  /**
   * One event.
   *
   * @param subscription id of the only one it is for; all that it was for when missing
   * @param as ORIGINAL when missing
   */
  @Schema(name = "EventRedelivery")
  record Event(@Nullable String subscription, @Nullable Replay as) {}

  /**
   * What a dry run answers.
   *
   * @param count deliveries that would come back
   */
  @Schema(name = "ReplayCount")
  record Count(long count) {}
}
