package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which lanes are wanted; null lets all pass.
 *
 * @param subscription id of the head's subscription
 * @param partition in which what is queued of them is; a number that no partition has finds none
 * @param olderThan for how long they have been held, failing or, if neither, their head published
 */
record LaneFilter(
    Lane.@Nullable State state,
    @Nullable String subscription,
    @Nullable String tenant,
    @Nullable String key,
    @Nullable Integer partition,
    @Nullable Duration olderThan) {

  /**
   * From query parameters as they came.
   *
   * @throws ProblemException naming the first that is not acceptable
   */
  static LaneFilter of(
      @Nullable String state,
      @Nullable String subscription,
      @Nullable String tenant,
      @Nullable String key,
      @Nullable Integer partition,
      @Nullable String olderThan) {
    return new LaneFilter(
        Filters.oneOf(Lane.State.class, "state", state),
        Filters.name("subscription", subscription),
        Filters.name("tenant", tenant),
        Filters.key("key", key),
        partition,
        Filters.duration("olderThan", olderThan));
  }
}
