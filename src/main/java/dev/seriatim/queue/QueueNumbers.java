package dev.seriatim.queue;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Numbers for events and deliveries, each given out once. Thread-safe; one round trip per call. */
@Component
class QueueNumbers {

  private static final String RESERVE =
      "select nextval('queue_id') from generate_series(1, :count)";

  private final JdbcClient jdbc;

  QueueNumbers(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  List<Long> reserve(int count) {
    return count == 0
        ? List.of()
        : jdbc.sql(RESERVE).param("count", count).query((row, number) -> row.getLong(1)).list();
  }
}
