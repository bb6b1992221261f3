package dev.seriatim.operations;

import dev.seriatim.api.Operator;
import dev.seriatim.api.PageRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Jobs as operators see them. Each method is one statement. Thread-safe. */
@Component
class JobStore {

  private static final String COLUMNS =
      """
      id, kind, parameters, operator, state, total, done, skipped, position, error, created_at, started_at, finished_at
      """;

  private static final String CREATE =
      """
      insert into job (kind, parameters, operator, total)
      values (:kind, cast(:parameters as jsonb), :operator, :total)
      returning\s"""
          + COLUMNS;

  private static final String FIND = "select " + COLUMNS + "from job where id = :id";

  // finished_at   a repeat, or a job that was faster, changes nothing. Waits for the step that is
  // under way.
  private static final String CANCEL =
      """
      update job set state = 'CANCELLED', finished_at = clock_timestamp()
      where id = :id and finished_at is null
      """;

  private final JdbcClient jdbc;
  private final JsonMapper mapper;
  private final Operator operator;

  JobStore(JdbcClient jdbc, JsonMapper mapper, Operator operator) {
    this.jdbc = jdbc;
    this.mapper = mapper;
    this.operator = operator;
  }

  /** On the thread of the operator's request. */
  Job create(JobKind kind, Object parameters, @Nullable Long total) {
    return jdbc.sql(CREATE)
        .param("kind", kind.name())
        .param("parameters", StoredJson.write(parameters))
        .param("operator", operator.name())
        .param("total", total)
        .query((row, number) -> job(row))
        .single();
  }

  Optional<Job> find(long id) {
    return jdbc.sql(FIND).param("id", id).query((row, number) -> job(row)).optional();
  }

  /** Newest first, from the cursor on; one more than the page holds if there are more. */
  List<Job> list(Job.@Nullable State state, PageRequest page) {
    Conditions conditions =
        new Conditions()
            .and("state = :state", "state", state == null ? null : state.name())
            .and("id < :after", "after", page.afterNumber());
    return jdbc.sql(
            "select "
                + COLUMNS
                + "from job where true\n"
                + conditions.sql()
                + "order by id desc limit :rows")
        .params(conditions.values())
        .param("rows", page.rowsToRead())
        .query((row, number) -> job(row))
        .list();
  }

  /**
   * @return whether this ended it
   */
  boolean cancel(long id) {
    return jdbc.sql(CANCEL).param("id", id).update() > 0;
  }

  private Job job(ResultSet row) throws SQLException {
    return new Job(
        row.getLong("id"),
        JobKind.valueOf(row.getString("kind")),
        mapper.readTree(row.getString("parameters")),
        row.getString("operator"),
        Job.State.valueOf(row.getString("state")),
        Rows.longOrNull(row, "total"),
        row.getLong("done"),
        row.getLong("skipped"),
        tree(row.getString("position")),
        row.getString("error"),
        Rows.instant(row, "created_at"),
        Rows.instantOrNull(row, "started_at"),
        Rows.instantOrNull(row, "finished_at"));
  }

  private @Nullable JsonNode tree(@Nullable String json) {
    return json == null ? null : mapper.readTree(json);
  }
}
