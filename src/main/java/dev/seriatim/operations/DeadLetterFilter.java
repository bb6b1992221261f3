package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.EjectReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are wanted; null lets all pass.
 *
 * @param subscription its id; also of those that are deleted
 * @param from earliest time of ejection
 * @param to first time of ejection that is no longer wanted
 */
record DeadLetterFilter(
    @Nullable String tenant,
    @Nullable String subscription,
    @Nullable String key,
    @Nullable EjectReason reason,
    @Nullable Instant from,
    @Nullable Instant to) {

  /**
   * From query parameters as they came.
   *
   * @throws ProblemException naming the first that is not acceptable
   */
  static DeadLetterFilter of(
      @Nullable String tenant,
      @Nullable String subscription,
      @Nullable String key,
      @Nullable String reason,
      @Nullable String from,
      @Nullable String to) {
    DeadLetterFilter filter =
        new DeadLetterFilter(
            Filters.name("tenant", tenant),
            Filters.name("subscription", subscription),
            Filters.key("key", key),
            Filters.oneOf(EjectReason.class, "reason", reason),
            Filters.time("from", from),
            Filters.time("to", to));
    Filters.range(filter.from(), filter.to());
    return filter;
  }
}
