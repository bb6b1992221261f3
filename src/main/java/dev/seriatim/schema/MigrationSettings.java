package dev.seriatim.schema;

import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How the tables are brought up to date.
 *
 * @param run When this process does it: at-start, before it serves; only, after which it ends; or
 *     never, which leaves it to others and refuses to start on tables that are too old.
 * @param lockTimeout How long a migration waits for a lock, 1ms to 10s. What works with the same
 *     table waits behind it for as long, in all pods. A migration that gets no lock changes nothing
 *     and fails the start; the next start tries again.
 */
@Validated
@ConfigurationProperties("seriatim.migrations")
record MigrationSettings(
    @NotNull @DefaultValue("at-start") MigrationRun run,
    @NotNull @DefaultValue("2s") Duration lockTimeout) {

  /** A third of the shortest time that a lease has left when it is renewed, with the defaults. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  MigrationSettings {
    if (lockTimeout.toMillis() < 1 || lockTimeout.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "seriatim.migrations.lock-timeout (%s) must be from PT0.001S to %s: whoever uses the table waits as long"
              .formatted(lockTimeout, LONGEST));
    }
  }
}
