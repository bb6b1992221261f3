package dev.seriatim.partition;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How partitions are owned.
 *
 * @param ttl How long a lease lasts without renewal; the partitions of a pod that is cut off, or
 *     whose crash nothing else shows, are free after that.
 * @param renewEvery How often leases are renewed; at most a third of the ttl.
 * @param sweepEvery How often a pod looks for free partitions and for its fair share.
 * @param margin How much earlier than the database a pod stops trusting its own lease, for the time
 *     a request to the database takes and for clocks that run at different speeds.
 * @param takeoverGrace How long the advisory lock of a crashed pod must have been free before
 *     others take its partitions over; the time that a living pod has for replacing a lost
 *     connection. At least three times sweepEvery; 0 for never, so that the ttl alone counts.
 */
@Validated
@ConfigurationProperties("seriatim.lease")
public record LeaseSettings(
    @NotNull @DefaultValue("30s") Duration ttl,
    @NotNull @DefaultValue("10s") Duration renewEvery,
    @NotNull @DefaultValue("500ms") Duration sweepEvery,
    @NotNull @DefaultValue("2s") Duration margin,
    @NotNull @DefaultValue("1500ms") Duration takeoverGrace) {

  public LeaseSettings {
    if (renewEvery.multipliedBy(3).compareTo(ttl) > 0) {
      throw new IllegalArgumentException(
          "seriatim.lease.renew-every (%s) must be at most a third of seriatim.lease.ttl (%s), so that two renewals may fail"
              .formatted(renewEvery, ttl));
    }
    if (!renewEvery.isPositive()
        || !sweepEvery.isPositive()
        || margin.isNegative()
        || takeoverGrace.isNegative()) {
      throw new IllegalArgumentException(
          "seriatim.lease.renew-every (%s) and seriatim.lease.sweep-every (%s) must be positive, seriatim.lease.margin (%s) and seriatim.lease.takeover-grace (%s) not negative"
              .formatted(renewEvery, sweepEvery, margin, takeoverGrace));
    }
    if (!takeoverGrace.isZero() && sweepEvery.multipliedBy(3).compareTo(takeoverGrace) > 0) {
      throw new IllegalArgumentException(
          "seriatim.lease.sweep-every (%s) must be at most a third of seriatim.lease.takeover-grace (%s), so that a pod that lost its connection replaces it before others take it for dead; or set the grace to 0"
              .formatted(sweepEvery, takeoverGrace));
    }
    if (takeoverGrace.compareTo(ttl) >= 0) {
      throw new IllegalArgumentException(
          "seriatim.lease.takeover-grace (%s) must be shorter than seriatim.lease.ttl (%s); to wait for the ttl set it to 0"
              .formatted(takeoverGrace, ttl));
    }
  }

  /**
   * Checks that a send can always start: right before a renewal a lease still has ttl - renewEvery
   * - margin left.
   *
   * @param deadline the longest total deadline of a send
   * @param deadlineProperty the property that sets it, for the message
   * @throws LeaseTooShortException naming the settings
   */
  public void mustOutlive(Duration deadline, String deadlineProperty) {
    Duration left = ttl.minus(renewEvery).minus(margin);
    if (left.compareTo(deadline) <= 0) {
      throw new LeaseTooShortException(
          ("seriatim.lease.ttl (%s) less seriatim.lease.renew-every (%s) and seriatim.lease.margin (%s) leaves %s, which must be longer than %s (%s):"
                  + " raise the ttl or lower the timeout")
              .formatted(ttl, renewEvery, margin, left, deadlineProperty, deadline));
    }
  }
}
