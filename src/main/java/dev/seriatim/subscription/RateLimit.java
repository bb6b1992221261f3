package dev.seriatim.subscription;

import java.time.Duration;

/**
 * How often an endpoint may be called, over all its lanes.
 *
 * @param limit requests per time, 1 to 100000
 * @param per the time, 1 s to 1 h
 * @param burst requests that may go out at once after a rest, 1 to 100000
 */
public record RateLimit(int limit, Duration per, int burst) {}
