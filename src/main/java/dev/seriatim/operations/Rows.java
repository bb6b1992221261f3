package dev.seriatim.operations;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Reads columns that JDBC has no method of its own for. */
final class Rows {

  private Rows() {}

  /** A {@code timestamptz}, whatever the time zones of this JVM and of the database. */
  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
    return row.getObject(column, Long.class);
  }

  static @Nullable Integer intOrNull(ResultSet row, String column) throws SQLException {
    return row.getObject(column, Integer.class);
  }
}
