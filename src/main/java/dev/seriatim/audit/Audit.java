package dev.seriatim.audit;

import dev.seriatim.api.Operator;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes down what operators did. One row for each thing that was changed, in the transaction that
 * changed it: neither is there without the other, whatever dies in between. What changed nothing,
 * such as a repeat, is not written. Thread-safe; blocks for one round trip.
 */
@Component
public class Audit {

  private static final String INSERT =
      """
      insert into audit (operator, action, target, detail)
      values (:operator, :action, :target, cast(:detail as jsonb))
      """;

  private final JdbcClient jdbc;
  private final JsonMapper mapper;
  private final Operator operator;

  /**
   * @param operator knows whose request a thread serves
   */
  public Audit(JdbcClient jdbc, JsonMapper mapper, Operator operator) {
    this.jdbc = jdbc;
    this.mapper = mapper;
    this.operator = operator;
  }

  /**
   * On the caller's transaction and on the thread of the operator's request.
   *
   * @param target what it was done to: {@code lane/17}, {@code dead-letter/9}, {@code partition/3},
   *     {@code event/acme/evt_1}, {@code job/4}, {@code subscription/orders}
   * @param detail what else tells what was done, in the words of the API; no secrets
   */
  public void record(AuditAction action, String target, Map<String, ?> detail) {
    jdbc.sql(INSERT)
        .param("operator", operator.name())
        .param("action", action.name())
        .param("target", target)
        .param("detail", mapper.writeValueAsString(detail))
        .update();
  }
}
