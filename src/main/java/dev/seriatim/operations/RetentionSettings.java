package dev.seriatim.operations;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How long what is done with is kept, by the database's clock. 0 keeps it for ever, so that who
 * reads 0 as "not at all" loses nothing. What is queued stays as long as it is queued, whatever is
 * set here.
 *
 * @param attempts How long the history of attempts is kept, in whole days (UTC): a day goes when
 *     all of it is older. 0 for ever.
 * @param events How long an event is kept after it was published, if nothing of it is queued or in
 *     the dead letters. Until then a repeat with its id is recognised. 0 for ever.
 * @param deadLetters How long a dead letter is kept, with its event. At least as long as events. 0
 *     for ever.
 */
@Validated
@ConfigurationProperties("seriatim.retention")
record RetentionSettings(
    @NotNull @DefaultValue("30d") Duration attempts,
    @NotNull @DefaultValue("30d") Duration events,
    @NotNull @DefaultValue("90d") Duration deadLetters) {

  /** Far beyond use, far below what overflows a timestamp. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  RetentionSettings {
    if (outOfRange(attempts) || outOfRange(events) || outOfRange(deadLetters)) {
      throw new IllegalArgumentException(
          "seriatim.retention.attempts (%s), seriatim.retention.events (%s) and seriatim.retention.dead-letters (%s) must be from 0 (for ever) to %s"
              .formatted(attempts, events, deadLetters, LONGEST));
    }
    // A dead letter and its event go together: an event without its dead letters would be taken
    // for delivered.
    if (!deadLetters.isZero() && (events.isZero() || deadLetters.compareTo(events) < 0)) {
      throw new IllegalArgumentException(
          "seriatim.retention.dead-letters (%s) must be at least seriatim.retention.events (%s), since a dead letter goes together with its event; 0 means for ever"
              .formatted(deadLetters, events));
    }
  }

  private static boolean outOfRange(Duration age) {
    return age.isNegative() || age.compareTo(LONGEST) > 0;
  }
}
