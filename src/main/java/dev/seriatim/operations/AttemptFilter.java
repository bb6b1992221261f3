package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.VerdictCode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which attempts are wanted; null lets all pass. A tenant or a subscription is always there.
 *
 * @param subscription its id; also of those that are deleted
 * @param event its id
 * @param onlyFailures whether those that were answered 2xx are left out
 * @param from earliest time of the attempt
 * @param to first time that is no longer wanted
 */
record AttemptFilter(
    @Nullable String tenant,
    @Nullable String subscription,
    @Nullable String event,
    @Nullable String key,
    @Nullable VerdictCode verdict,
    boolean onlyFailures,
    @Nullable Instant from,
    @Nullable Instant to) {

  /**
   * From query parameters as they came.
   *
   * @throws ProblemException naming the first that is not acceptable
   */
  static AttemptFilter of(
      @Nullable String tenant,
      @Nullable String subscription,
      @Nullable String event,
      @Nullable String key,
      @Nullable String verdict,
      @Nullable String failed,
      @Nullable String from,
      @Nullable String to) {
    VerdictCode code = Filters.oneOf(VerdictCode.class, "verdict", verdict);
    AttemptFilter filter =
        new AttemptFilter(
            Filters.name("tenant", tenant),
            Filters.name("subscription", subscription),
            Filters.name("event", event),
            Filters.key("key", key),
            code,
            Filters.flag("failed", failed) || (code != null && code != VerdictCode.DELIVERED),
            Filters.time("from", from),
            Filters.time("to", to));
    Filters.range(filter.from(), filter.to());
    if (tenant == null && subscription == null) {
      throw event == null
          ? ProblemException.invalid(
              "subscription", "is required, or tenant: say whose attempts are wanted")
          : ProblemException.invalid(
              "tenant", "is required with event, or subscription: an event's id is its tenant's");
    }
    return filter;
  }
}
