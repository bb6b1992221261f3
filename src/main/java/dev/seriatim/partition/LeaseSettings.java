package dev.seriatim.partition;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How partitions are owned.
 *
 * @param ttl How long a lease lasts without renewal; a crashed pod's partitions are free after
 *     that.
 * @param renewEvery How often leases are renewed; at most a third of the ttl.
 * @param sweepEvery How often a pod looks for free partitions and for its fair share.
 * @param margin How much earlier than the database a pod stops trusting its own lease, for the time
 *     a request to the database takes and for clocks that run at different speeds.
 * @param releaseTimeout How long a clean stop waits for requests that are under way.
 */
@Validated
@ConfigurationProperties("seriatim.lease")
public record LeaseSettings(
    @NotNull @DefaultValue("30s") Duration ttl,
    @NotNull @DefaultValue("10s") Duration renewEvery,
    @NotNull @DefaultValue("1s") Duration sweepEvery,
    @NotNull @DefaultValue("2s") Duration margin,
    @NotNull @DefaultValue("20s") Duration releaseTimeout) {

  public LeaseSettings {
    if (renewEvery.multipliedBy(3).compareTo(ttl) > 0) {
      throw new IllegalArgumentException(
          "seriatim.lease.renew-every (%s) must be at most a third of seriatim.lease.ttl (%s), so that two renewals may fail"
              .formatted(renewEvery, ttl));
    }
    if (!renewEvery.isPositive()
        || !sweepEvery.isPositive()
        || margin.isNegative()
        || releaseTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "seriatim.lease.renew-every (%s) and sweep-every (%s) must be positive, margin (%s) and release-timeout (%s) not negative"
              .formatted(renewEvery, sweepEvery, margin, releaseTimeout));
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
