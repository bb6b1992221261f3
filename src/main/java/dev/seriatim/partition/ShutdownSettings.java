package dev.seriatim.partition;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How a clean stop spends its time. In this order: requests that come in are finished, within
 * {@code spring.lifecycle.timeout-per-shutdown-phase}; deliveries under way are finished, within
 * the drain; partitions are given back and connections closed, within {@link #CLOSE}. A process
 * that is killed before that has crashed: its partitions are taken over, and each lane may see its
 * current delivery again.
 *
 * @param drain How long a stop lets deliveries that are under way go on; what takes longer is
 *     broken off and comes again, from another pod. Longer than the longest timeout of a
 *     subscription, so that none does.
 * @param preStop How much of the grace period passes before this process is told to stop, such as
 *     the preStop hook of a Kubernetes pod.
 * @param gracePeriod How long the platform waits for the end before it kills, counted from its
 *     decision to stop, such as terminationGracePeriodSeconds of a Kubernetes pod. Only compared
 *     with the others; unset, nothing is compared.
 */
@Validated
@ConfigurationProperties("seriatim.shutdown")
record ShutdownSettings(
    @NotNull @DefaultValue("20s") Duration drain,
    @NotNull @DefaultValue("0s") Duration preStop,
    @Nullable Duration gracePeriod) {

  /** For what follows the drain: a few statements, each bounded, and closing connections. */
  static final Duration CLOSE = Duration.ofSeconds(5);

  ShutdownSettings {
    if (drain.isNegative() || preStop.isNegative()) {
      throw new IllegalArgumentException(
          "seriatim.shutdown.drain (%s) and seriatim.shutdown.pre-stop (%s) must not be negative"
              .formatted(drain, preStop));
    }
  }

  /**
   * Checks that a stop is over before the platform kills.
   *
   * @param answer how long requests that come in may take to be finished
   * @throws GracePeriodTooShortException naming the settings
   */
  void mustFit(Duration answer) {
    Duration needed = preStop.plus(answer).plus(drain).plus(CLOSE);
    if (gracePeriod != null && gracePeriod.compareTo(needed) < 0) {
      throw new GracePeriodTooShortException(
          ("seriatim.shutdown.grace-period (%s) must be at least %s: seriatim.shutdown.pre-stop (%s),"
                  + " spring.lifecycle.timeout-per-shutdown-phase (%s) for requests that come in,"
                  + " seriatim.shutdown.drain (%s) for deliveries under way, and %s to give partitions back."
                  + " Give the platform's grace period more time and say so here, or lower the drain")
              .formatted(gracePeriod, needed, preStop, answer, drain, CLOSE));
    }
  }
}
