package dev.seriatim.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Makes rates of counters that only grow. Remembers the last seconds only, so that after a time in
 * which nobody asked the rate is not that of the whole time. Not thread-safe.
 */
final class RateWindow {

  private static final Duration LONGEST = Duration.ofSeconds(15);

  private final Deque<Counters> seen = new ArrayDeque<>();

  /** What PostgreSQL has counted since its statistics began. */
  record Counters(Instant at, long published, long attempts, long settled) {}

  /** Null when nothing recent is there to compare with, or the statistics began anew. */
  Overview.@Nullable Rates add(Counters now) {
    while (!seen.isEmpty() && seen.getFirst().at().isBefore(now.at().minus(LONGEST))) {
      seen.removeFirst();
    }
    Overview.Rates rates = seen.isEmpty() ? null : between(seen.getFirst(), now);
    if (rates == null) {
      seen.clear();
    }
    seen.addLast(now);
    return rates;
  }

  private static Overview.@Nullable Rates between(Counters from, Counters to) {
    double seconds = Duration.between(from.at(), to.at()).toMillis() / 1000.0;
    long published = to.published() - from.published();
    long attempts = to.attempts() - from.attempts();
    long settled = to.settled() - from.settled();
    // Less than before: the server lost its statistics, or a day of the history was dropped.
    return seconds <= 0 || published < 0 || attempts < 0 || settled < 0
        ? null
        : new Overview.Rates(published / seconds, attempts / seconds, settled / seconds, seconds);
  }
}
