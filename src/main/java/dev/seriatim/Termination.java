package dev.seriatim;

import dev.seriatim.schema.MigrationRun;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import sun.misc.Signal;

/**
 * Ends a pod with 0 when it was told to end by SIGTERM, which is how platforms stop what they run.
 * By itself a JVM ends with 143 (128 + 15) however clean its stop was, and Kubernetes, systemd and
 * others report that as a failure.
 *
 * <p>Everything else stays: the shutdown hooks run, Spring's among them, which makes the stop a
 * clean one; a second signal changes nothing; SIGINT ends with 130, a failed start with 1. And so
 * does a process that only migrates: told to end, it has not done its work, and a Job must not take
 * that for success. The JDK has no other way to handle a signal than this class of {@code
 * jdk.unsupported}, where it stays until there is one (JEP 260).
 */
final class Termination implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

  private static final Logger log = LoggerFactory.getLogger(Termination.class);

  /** Takes the place of the JVM's own handler as soon as it is known what the process is for. */
  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    if (MigrationRun.in(event.getEnvironment()) != MigrationRun.ONLY) {
      endsWithZero();
    }
  }

  private static void endsWithZero() {
    try {
      Signal.handle(new Signal("TERM"), _ -> System.exit(0));
    } catch (IllegalArgumentException e) {
      // Such as -Xrs, with which signals are somebody else's.
      log.debug("The JVM leaves SIGTERM to others, who decide about the exit code", e);
    }
  }
}
