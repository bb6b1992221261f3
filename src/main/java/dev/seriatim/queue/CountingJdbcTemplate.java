package dev.seriatim.queue;

import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Counts the statements that go over the pool, a batch as one. Takes the place of Spring Boot's own
 * template. Thread-safe.
 */
@Component
class CountingJdbcTemplate extends JdbcTemplate {

  private final QueueMeters meters;

  CountingJdbcTemplate(DataSource dataSource, QueueMeters meters) {
    super(dataSource);
    this.meters = meters;
  }

  /** Spring calls it once for each statement, right before it runs it. */
  @Override
  protected void applyStatementSettings(Statement statement) throws SQLException {
    meters.statement();
    super.applyStatementSettings(statement);
  }
}
