package dev.seriatim.operations;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Works off the jobs on a thread of its own, with a pause between their steps. All pods do so; each
 * step is done by one of them. A stop waits a second for the step that is under way.
 *
 * <p>Concurrency: {@code failing} belongs to the thread.
 */
@Component
class JobThread implements BackgroundWork {

  private static final Logger log = LoggerFactory.getLogger(JobThread.class);

  /** So that a job never has the database, or the locks of busy lanes, for itself. */
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** Until this pod looks for what was asked of others. */
  private static final Duration REST = Duration.ofSeconds(2);

  private final JobRunner runner;
  private final BackgroundThread thread = new BackgroundThread("jobs", REST, this::round);
  private boolean failing;

  JobThread(JobRunner runner) {
    this.runner = runner;
  }

  /** After the commit of a new job. Never blocks. */
  void wake() {
    thread.wake();
  }

  @Override
  public BackgroundThread thread() {
    return thread;
  }

  private Duration round() {
    try {
      while (runner.step() && !thread.stopsWithin(PAUSE)) {
        failing = false;
      }
      failing = false;
    } catch (RuntimeException | Error e) {
      // An Error as well: no job would ever go on otherwise.
      if (!failing) {
        log.warn("Jobs wait for the database; trying again: {}", e.toString());
      }
      failing = true;
    }
    return REST;
  }
}
