package dev.seriatim.queue;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.SqlArrayValue;

/** Array parameters, one element per row of a batch. */
final class SqlArray {

  private SqlArray() {}

  /**
   * @param type the element type's name in PostgreSQL
   * @param values may hold nulls, which become SQL nulls; for bytea a {@code byte[][]}, as the
   *     driver wants
   */
  @SuppressWarnings("NullAway") // Spring passes the elements on to the driver, which takes nulls
  static SqlArrayValue of(String type, @Nullable Object[] values) {
    return new SqlArrayValue(type, values);
  }
}
