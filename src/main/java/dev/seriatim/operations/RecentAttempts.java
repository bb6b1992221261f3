package dev.seriatim.operations;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads the last attempts of one delivery. Thread-safe; blocks for one round trip. */
@Component
class RecentAttempts {

  /** Attempts shown with one delivery. */
  static final int MOST = 10;

  /** On the index of the event; a delivery has its attempts beside those of its siblings there. */
  private static final String LAST =
      "select "
          + AttemptRows.COLUMNS
          + """
          , a.response_body
          from attempt a
          where a.event_pk = :event and a.delivery_id = :delivery
          order by a.at desc, a.attempt desc
          limit :limit
          """;

  private final JdbcClient jdbc;

  RecentAttempts(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Newest first; fewer than there were when their history is no longer kept. */
  List<Attempt> of(long event, long delivery) {
    return jdbc.sql(LAST)
        .param("event", event)
        .param("delivery", delivery)
        .param("limit", MOST)
        .query((row, number) -> AttemptRows.attempt(row))
        .list();
  }
}
