package dev.seriatim.operations;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Reads attempts out of the history. */
final class AttemptRows {

  /** All of an attempt {@code a} but {@code response_body}, of which not everybody wants all. */
  static final String COLUMNS =
      """
      a.at, a.attempt, a.worker, a.epoch, a.verdict, a.status, a.duration_ms, a.address, a.location,
      a.response_headers
      """;

  private AttemptRows() {}

  static Attempt attempt(ResultSet row) throws SQLException {
    byte[] body = row.getBytes("response_body");
    return new Attempt(
        Rows.instant(row, "at"),
        row.getInt("attempt"),
        row.getString("worker"),
        row.getLong("epoch"),
        row.getString("verdict"),
        Rows.intOrNull(row, "status"),
        Duration.ofMillis(row.getInt("duration_ms")),
        row.getString("address"),
        row.getString("location"),
        row.getString("response_headers"),
        body == null ? null : new String(body, StandardCharsets.UTF_8));
  }
}
