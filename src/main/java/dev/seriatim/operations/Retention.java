package dev.seriatim.operations;

import dev.seriatim.operations.RetentionStep.Kind;
import dev.seriatim.operations.RetentionStep.Outcome;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Works off what retention has to do on a thread of its own, with pauses between its steps, and
 * rests for minutes when there is nothing to do. All pods do so; each step is done by one of them.
 * A stop waits a second for the step that is under way.
 *
 * <p>Concurrency: {@code failing} belongs to the thread.
 */
final class Retention implements BackgroundWork {

  private static final Logger log = LoggerFactory.getLogger(Retention.class);

  /** Longer than a usual step takes, so that retention never has the database for itself. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** A start has better things to do. */
  private static final Duration FIRST = Duration.ofMinutes(1);

  private static final Duration RETRY = Duration.ofMinutes(1);

  private final List<RetentionStep> steps;
  private final RetentionTurns turns;
  private final RetentionMeters meters;
  private final BackgroundThread thread = new BackgroundThread("retention", FIRST, this::round);
  private final Set<Kind> failing = EnumSet.noneOf(Kind.class);

  Retention(List<RetentionStep> steps, RetentionTurns turns, RetentionMeters meters) {
    this.steps = List.copyOf(steps);
    this.turns = turns;
    this.meters = meters;
  }

  @Override
  public BackgroundThread thread() {
    return thread;
  }

  /**
   * Everything that is due.
   *
   * @return how long to rest afterwards
   */
  Duration round() {
    Duration rest = RetentionTurns.REST;
    for (RetentionStep step : steps) {
      if (!workedOff(step)) {
        rest = RETRY;
      }
    }
    return rest;
  }

  private boolean workedOff(RetentionStep step) {
    try {
      while (step.step() == Outcome.MORE) {
        if (thread.stopsWithin(PAUSE)) {
          return true;
        }
      }
      if (failing.remove(step.kind())) {
        log.info("Retention of {} works again", name(step));
      }
      return true;
    } catch (RuntimeException | Error e) {
      // An Error as well: nothing would ever go by itself again.
      failed(step, e);
      return false;
    }
  }

  private void failed(RetentionStep step, Throwable failure) {
    meters.failed();
    if (failing.add(step.kind())) {
      report(step, failure);
    }
    try {
      turns.postpone(step.kind());
    } catch (DataAccessException | TransactionException e) {
      log.debug("The database is away; no pod can try again sooner", e);
    }
  }

  private static void report(RetentionStep step, Throwable failure) {
    if (LockTimeout.ran(failure)) {
      log.info(
          "Retention of {} waits for a long query or a backup to end; it tries every minute",
          name(step));
    } else if (failure instanceof DataAccessException || failure instanceof TransactionException) {
      log.warn("Retention of {} failed; trying again: {}", name(step), failure.toString());
    } else {
      log.error("Retention of {} stumbled; it goes on", name(step), failure);
    }
  }

  private static String name(RetentionStep step) {
    return switch (step.kind()) {
      case ATTEMPTS -> "attempts";
      case EVENTS -> "events and dead letters";
    };
  }
}
