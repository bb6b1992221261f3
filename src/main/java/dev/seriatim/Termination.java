package dev.seriatim;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * Ends the process with 0 when it was told to end by SIGTERM, which is how platforms stop what they
 * run. By itself a JVM ends with 143 (128 + 15) however clean its stop was, and Kubernetes, systemd
 * and others report that as a failure.
 *
 * <p>Everything else stays: the shutdown hooks run, Spring's among them, which makes the stop a
 * clean one; a second signal changes nothing; SIGINT ends with 130, a failed start with 1. The JDK
 * has no other way to handle a signal than this class of {@code jdk.unsupported}, where it stays
 * until there is one (JEP 260).
 */
final class Termination {

  private static final Logger log = LoggerFactory.getLogger(Termination.class);

  private Termination() {}

  /** Takes the place of the JVM's own handler, once per process. */
  static void endsWithZero() {
    try {
      Signal.handle(new Signal("TERM"), _ -> System.exit(0));
    } catch (IllegalArgumentException e) {
      // Such as -Xrs, with which signals are somebody else's.
      log.debug("The JVM leaves SIGTERM to others, who decide about the exit code", e);
    }
  }
}
