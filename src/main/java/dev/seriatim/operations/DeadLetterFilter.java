package dev.seriatim.operations;

import java.time.Instant;
import java.util.Set;
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
    @Nullable String reason,
    @Nullable Instant from,
    @Nullable Instant to) {

  /** The query parameters of a list, those of paging included. */
  static final Set<String> PARAMETERS =
      Set.of("tenant", "subscription", "key", "reason", "from", "to", "cursor", "limit");

  static DeadLetterFilter of(QueryParameters parameters) {
    return new DeadLetterFilter(
        parameters.name("tenant"),
        parameters.name("subscription"),
        parameters.key("key"),
        parameters.name("reason"),
        parameters.time("from"),
        parameters.time("to"));
  }
}
