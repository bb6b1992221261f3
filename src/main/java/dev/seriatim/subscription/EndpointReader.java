package dev.seriatim.subscription;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** What owners know of endpoints, for the API of any pod. Thread-safe; blocks on the database. */
@Repository
class EndpointReader {

  /** Once its time is over an open circuit is half-open; nobody needs to write that down. */
  private static final String READ =
      """
      select subscription_pk, reason, since, until, failing_since, until > clock_timestamp() as shut,
        case when state = 'OPEN' and until <= clock_timestamp() then 'HALF_OPEN' else state end as state
      from endpoint where subscription_pk = any(:pks)
      """;

  private final JdbcClient jdbc;

  EndpointReader(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** By the numbers of their subscriptions; what nothing is known against is left out. */
  Map<Long, EndpointAnswer> read(Collection<Long> pks) {
    Map<Long, EndpointAnswer> answers = new HashMap<>();
    if (!pks.isEmpty()) {
      jdbc.sql(READ)
          .param("pks", pks.toArray(Long[]::new))
          .query(
              row -> {
                answers.put(row.getLong("subscription_pk"), answer(row));
              });
    }
    return answers;
  }

  private static EndpointAnswer answer(ResultSet row) throws SQLException {
    EndpointAnswer.State state = EndpointAnswer.State.valueOf(row.getString("state"));
    boolean closed = state == EndpointAnswer.State.CLOSED;
    boolean shut = row.getBoolean("shut");
    return new EndpointAnswer(
        state,
        closed && !shut ? null : row.getString("reason"),
        closed ? null : instant(row, "since"),
        shut ? instant(row, "until") : null,
        instant(row, "failing_since"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
