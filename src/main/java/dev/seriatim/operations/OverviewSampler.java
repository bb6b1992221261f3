package dev.seriatim.operations;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Puts the overview together, once for each sample of {@link LagSampler}, however many ask for it.
 * Thread-safe; blocks for a few round trips, or for somebody else's.
 */
@Component
class OverviewSampler {

  // PostgreSQL counts rows anyway, for the whole cluster and without reading any. Its counts may be
  // some seconds late and include what was rolled back: good enough for a rate on a screen.
  private static final String COUNTERS =
      """
      select clock_timestamp() as at,
        pg_stat_get_tuples_inserted('event'::regclass) as published,
        (select coalesce(sum(pg_stat_get_tuples_inserted(relid)), 0)::bigint
         from pg_partition_tree('attempt') where isleaf) as attempts,
        pg_stat_get_tuples_deleted('delivery'::regclass) as settled
      """;

  /** Beyond what a look takes on a busy machine. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final LagSampler lags;
  private final JdbcClient jdbc;
  private final HealthSettings health;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final RateWindow window = new RateWindow();

  @GuardedBy("lock")
  private @Nullable Overview last;

  OverviewSampler(LagSampler lags, JdbcClient jdbc, HealthSettings health) {
    this.lags = lags;
    this.jdbc = jdbc;
    this.health = health;
  }

  /** Whether the last sample is older than it should be, as while the database is away. */
  boolean isOld() {
    return lags.late().compareTo(GRACE) > 0;
  }

  Overview sample() {
    lock.lock();
    try {
      PartitionLag lag = lags.sample();
      Overview known = last;
      if (known != null && known.lag() == lag) {
        return known;
      }
      Overview fresh = Overview.of(lag, window.add(counters()), health);
      last = fresh;
      return fresh;
    } finally {
      lock.unlock();
    }
  }

  private RateWindow.Counters counters() {
    return jdbc.sql(COUNTERS)
        .query(
            (row, number) ->
                new RateWindow.Counters(
                    Rows.instant(row, "at"),
                    row.getLong("published"),
                    row.getLong("attempts"),
                    row.getLong("settled")))
        .single();
  }
}
