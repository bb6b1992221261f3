package dev.seriatim.operations;

import dev.seriatim.api.PageRequest;
import dev.seriatim.audit.AuditAction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Reads the audit. Thread-safe; blocks for one round trip. */
@Component
class AuditQuery {

  private static final String LIST =
      """
      select id, at, operator, action, target, detail
      from audit
      where true
      %s
      order by id desc
      limit :rows
      """;

  private final JdbcClient jdbc;
  private final JsonMapper mapper;

  AuditQuery(JdbcClient jdbc, JsonMapper mapper) {
    this.jdbc = jdbc;
    this.mapper = mapper;
  }

  /** Newest first, from the cursor on; one more than the page holds if there are more. */
  List<AuditEntry> list(AuditFilter filter, PageRequest page) {
    AuditAction action = filter.action();
    Conditions conditions =
        new Conditions()
            .and("target = :target", "target", filter.target())
            .and("operator = :operator", "operator", filter.operator())
            .and("action = :action", "action", action == null ? null : action.name())
            .and("at >= :from", "from", filter.from())
            .and("at < :to", "to", filter.to())
            .and("id < :after", "after", page.afterNumber());
    return jdbc.sql(LIST.formatted(conditions.sql()))
        .params(conditions.values())
        .param("rows", page.rowsToRead())
        .query((row, number) -> entry(row))
        .list();
  }

  private AuditEntry entry(ResultSet row) throws SQLException {
    return new AuditEntry(
        row.getLong("id"),
        Rows.instant(row, "at"),
        row.getString("operator"),
        row.getString("action"),
        row.getString("target"),
        mapper.readTree(row.getString("detail")));
  }
}
