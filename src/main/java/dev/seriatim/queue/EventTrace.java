package dev.seriatim.queue;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The trace that an event was published in.
 *
 * @param context the place in it from which deliveries go on
 * @param publishedAt by the database's clock
 */
public record EventTrace(TraceContext context, Instant publishedAt) {

  /** Of a row of {@code event} under the alias {@code e}. */
  static final String COLUMNS =
      "e.traceparent, e.tracestate, case when e.traceparent is not null then e.published_at end as published_at";

  /** Reads {@link #COLUMNS}; null without a trace. */
  static @Nullable EventTrace read(ResultSet row) throws SQLException {
    TraceContext context =
        TraceContext.parse(row.getString("traceparent"), row.getString("tracestate"));
    return context == null
        ? null
        : new EventTrace(
            context,
            Objects.requireNonNull(row.getObject("published_at", OffsetDateTime.class))
                .toInstant());
  }
}
