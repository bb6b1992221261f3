package dev.seriatim.subscription;

import dev.seriatim.subscription.RetryPolicy.Schedule;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Schedules that have a name. The name is a way to write one down and no more: what is stored and
 * shown is the schedule. So whoever reads a subscription sees what is in force, and no later
 * version of Seriatim, or of a standard, changes the waits of a subscription that exists.
 */
public enum RetryPreset {

  /**
   * The example of the Standard Webhooks specification 1.0.0, section "Deliverability and
   * reliability": at once, then nine more attempts over 75 h 35 min 5 s (<a
   * href="https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md">source</a>).
   */
  STANDARD_WEBHOOKS("PT5S", "PT5M", "PT30M", "PT2H", "PT5H", "PT10H", "PT14H", "PT20H", "PT24H");

  private final Schedule schedule;

  RetryPreset(String... waits) {
    this.schedule = new Schedule(Stream.of(waits).map(Duration::parse).toList());
  }

  /** The waits it stands for. */
  public Schedule schedule() {
    return schedule;
  }
}
