package dev.seriatim.subscription;

import java.net.URI;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Reads rows of {@link #COLUMNS}. Thread-safe. */
@Component
class SubscriptionRows implements RowMapper<Subscription> {

  /** Of a table {@code subscription} under the alias {@code s}, with its secrets newest first. */
  static final String COLUMNS =
      """
      s.pk, s.id, s.tenant, s.url, s.event_types, s.ordering, s.on_exhausted, s.blocks,
      s.max_attempts, s.initial_delay_ms, s.multiplier, s.max_delay_ms, s.jitter, s.max_age_ms,
      s.retry_schedule_ms, s.timeout_ms, s.max_in_flight, s.rate_limit, s.rate_per_ms, s.rate_burst, s.headers, s.state, s.disabled_reason,
      s.created_at, s.updated_at,
      array(select k.secret from subscription_secret k where k.subscription_pk = s.pk order by k.pk desc) as secrets
      """;

  private static final TypeReference<LinkedHashMap<String, String>> HEADERS =
      new TypeReference<>() {};

  private final JsonMapper json;

  SubscriptionRows(JsonMapper json) {
    this.json = json;
  }

  @Override
  public Subscription mapRow(ResultSet row, int number) throws SQLException {
    return new Subscription(
        row.getLong("pk"),
        row.getString("id"),
        row.getString("tenant"),
        URI.create(row.getString("url")),
        strings(row.getArray("event_types")),
        OrderingScope.valueOf(row.getString("ordering")),
        OnExhausted.valueOf(row.getString("on_exhausted")),
        Blocks.valueOf(row.getString("blocks")),
        RetryColumns.read(row),
        Duration.ofMillis(row.getLong("timeout_ms")),
        row.getInt("max_in_flight"),
        rateLimit(row),
        headers(row.getString("headers")),
        strings(row.getArray("secrets")).stream().map(WebhookSecret::parse).toList(),
        Subscription.State.valueOf(row.getString("state")),
        row.getString("disabled_reason"),
        instant(row, "created_at"),
        instant(row, "updated_at"));
  }

  String headers(Map<String, String> headers) {
    return json.writeValueAsString(headers);
  }

  private Map<String, String> headers(String stored) {
    return json.readValue(stored, HEADERS);
  }

  static List<String> strings(Array array) throws SQLException {
    return List.copyOf(Arrays.asList((String[]) array.getArray()));
  }

  private static @Nullable RateLimit rateLimit(ResultSet row) throws SQLException {
    int limit = row.getInt("rate_limit");
    return row.wasNull()
        ? null
        : new RateLimit(
            limit, Duration.ofMillis(row.getLong("rate_per_ms")), row.getInt("rate_burst"));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }
}
