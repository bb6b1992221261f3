package dev.seriatim.subscription;

import dev.seriatim.subscription.RetryPolicy.Backoff;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import dev.seriatim.subscription.RetryPolicy.Waits;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RetryPolicy} in the columns of {@code subscription}. A schedule fills the columns of a
 * backoff as well, which are not null and all that an earlier version of Seriatim knows.
 */
final class RetryColumns {

  private RetryColumns() {}

  static RetryPolicy read(ResultSet row) throws SQLException {
    return new RetryPolicy(
        waits(row), row.getDouble("jitter"), Duration.ofMillis(row.getLong("max_age_ms")));
  }

  private static Waits waits(ResultSet row) throws SQLException {
    Array schedule = row.getArray("retry_schedule_ms");
    return schedule == null
        ? new Backoff(
            row.getInt("max_attempts"),
            Duration.ofMillis(row.getLong("initial_delay_ms")),
            row.getDouble("multiplier"),
            Duration.ofMillis(row.getLong("max_delay_ms")))
        : new Schedule(Stream.of((Long[]) schedule.getArray()).map(Duration::ofMillis).toList());
  }

  static void write(RetryPolicy retry, Map<String, @Nullable Object> parameters) {
    Backoff backoff =
        switch (retry.waits()) {
          case Backoff given -> given;
          case Schedule schedule -> closest(schedule);
        };
    parameters.put("maxAttempts", backoff.maxAttempts());
    parameters.put("initialDelay", backoff.initialDelay().toMillis());
    parameters.put("multiplier", backoff.multiplier());
    parameters.put("maxDelay", backoff.maxDelay().toMillis());
    parameters.put(
        "schedule",
        retry.waits() instanceof Schedule schedule
            ? schedule.waits().stream().map(Duration::toMillis).toArray(Long[]::new)
            : null);
    parameters.put("jitter", retry.jitter());
    parameters.put("maxAge", retry.maxAge().toMillis());
  }

  /** As many attempts, from the shortest wait that is one to the longest. */
  static Backoff closest(Schedule schedule) {
    long[] waits =
        schedule.waits().stream()
            .mapToLong(Duration::toMillis)
            .filter(ms -> ms > 0)
            .sorted()
            .toArray();
    if (waits.length == 0) {
      return new Backoff(schedule.maxAttempts(), Duration.ZERO, 1, Duration.ZERO);
    }
    long shortest = waits[0];
    long longest = waits[waits.length - 1];
    double growth =
        waits.length == 1 ? 1 : Math.pow((double) longest / shortest, 1.0 / (waits.length - 1));
    return new Backoff(
        schedule.maxAttempts(),
        Duration.ofMillis(shortest),
        Math.min(growth, Limits.MAX_MULTIPLIER),
        Duration.ofMillis(longest));
  }
}
