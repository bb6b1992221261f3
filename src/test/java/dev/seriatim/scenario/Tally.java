package dev.seriatim.scenario;

import java.time.Duration;

/**
 * What a part of a run came to.
 *
 * @param events accepted
 * @param sends requests that reached the receiver
 * @param duplicates of them, those for a delivery that had its 2xx
 * @param lost deliveries of accepted events that never had a 2xx
 * @param gap the longest that an endpoint heard nothing
 * @param fenced writes that found another owner
 */
record Tally(
    String what,
    int events,
    int sends,
    int duplicates,
    int reorders,
    int lost,
    Duration gap,
    int fenced) {

  static final String HEAD =
      "%-44s %7s %7s %10s %8s %5s %9s %6s"
          .formatted("", "events", "sends", "duplicates", "reorders", "lost", "gap (s)", "fenced");

  /** All of both. */
  Tally plus(Tally other) {
    return new Tally(
        what,
        events + other.events,
        sends + other.sends,
        duplicates + other.duplicates,
        reorders + other.reorders,
        lost + other.lost,
        gap.compareTo(other.gap) > 0 ? gap : other.gap,
        fenced + other.fenced);
  }

  static Tally none(String what) {
    return new Tally(what, 0, 0, 0, 0, 0, Duration.ZERO, 0);
  }

  @Override
  public String toString() {
    return "%-44s %7d %7d %10d %8d %5d %9.1f %6d"
        .formatted(
            what, events, sends, duplicates, reorders, lost, gap.toMillis() / 1000.0, fenced);
  }
}
