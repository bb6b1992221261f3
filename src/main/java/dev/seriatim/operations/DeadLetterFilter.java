package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
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
@JsonInclude(JsonInclude.Include.NON_NULL)
record DeadLetterFilter(
    @Nullable String tenant,
    @Nullable String subscription,
    @Nullable String key,
    @Nullable EjectReason reason,
    @Nullable Instant from,
    @Nullable Instant to) {

  static final DeadLetterFilter ALL = new DeadLetterFilter(null, null, null, null, null, null);

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

  /** Whether it lets all pass. */
  @JsonIgnore
  boolean isEmpty() {
    return equals(ALL);
  }

  /** On the tables {@code dead_letter d} and {@code lane l}. */
  Conditions conditions() {
    return new Conditions()
        .and("d.tenant = :tenant", "tenant", tenant)
        .and(
            "d.subscription_pk = any (array(select pk from subscription where id = :subscription))",
            "subscription",
            subscription)
        .and("l.key = :key", "key", key)
        .and("d.reason = :reason", "reason", reason == null ? null : reason.name())
        .and("d.ejected_at >= :from", "from", from)
        .and("d.ejected_at < :to", "to", to);
  }
}
