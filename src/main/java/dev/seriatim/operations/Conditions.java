package dev.seriatim.operations;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.SqlArrayValue;

/**
 * The conditions of a query that are asked for, and only those, so that the plan of a prepared
 * statement can use the index that fits them. Belongs to one thread.
 */
final class Conditions {

  private final StringBuilder sql = new StringBuilder();
  private final Map<String, Object> values = new LinkedHashMap<>();

  /** A value for {@code = any (:name)}. */
  static SqlArrayValue array(List<Long> numbers) {
    return new SqlArrayValue("bigint", numbers.toArray());
  }

  /** Adds a condition that has no value of its own. */
  Conditions and(String condition) {
    sql.append("and ").append(condition).append('\n');
    return this;
  }

  /** Adds a condition on a named value, unless the value is null. */
  Conditions and(String condition, String name, @Nullable Object value) {
    if (value != null) {
      and(condition);
      values.put(name, value instanceof Instant time ? time.atOffset(ZoneOffset.UTC) : value);
    }
    return this;
  }

  /** A value that no condition depends on. */
  Conditions with(String name, Object value) {
    values.put(name, value);
    return this;
  }

  /** Each with {@code and} before it. */
  String sql() {
    return sql.toString();
  }

  Map<String, Object> values() {
    return values;
  }
}
