package dev.seriatim.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of an endpoint knows of its health and leaves to the next one. Times are relative
 * to now: the clocks of pods do not meet in it.
 *
 * @param open whether its circuit breaker is open, or half-open once the wait is over
 * @param reason why it is open or held, for people; null when it is neither
 * @param shutFor nothing is sent for so long from now on; negative when that is over, null without
 * @param failingFor how long ago the first failure since the last success was; null without one
 * @param failures how many failures there were since
 * @param openings how often it opened without closing in between
 */
public record EndpointState(
    boolean open,
    @Nullable String reason,
    @Nullable Duration shutFor,
    @Nullable Duration failingFor,
    long failures,
    int openings) {

  /** Nothing is known against it. */
  public static final EndpointState WELL = new EndpointState(false, null, null, null, 0, 0);
}
