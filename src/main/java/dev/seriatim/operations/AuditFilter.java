package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.audit.AuditAction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which entries of the audit are wanted; null lets all pass.
 *
 * @param from earliest time of the entry
 * @param to first time that is no longer wanted
 */
record AuditFilter(
    @Nullable String target,
    @Nullable String operator,
    @Nullable AuditAction action,
    @Nullable Instant from,
    @Nullable Instant to) {

  /**
   * From query parameters as they came.
   *
   * @throws ProblemException naming the first that is not acceptable
   */
  static AuditFilter of(
      @Nullable String target,
      @Nullable String operator,
      @Nullable String action,
      @Nullable String from,
      @Nullable String to) {
    AuditFilter filter =
        new AuditFilter(
            Filters.text("target", target),
            Filters.name("operator", operator),
            Filters.oneOf(AuditAction.class, "action", action),
            Filters.time("from", from),
            Filters.time("to", to));
    Filters.range(filter.from(), filter.to());
    return filter;
  }
}
