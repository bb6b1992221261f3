package dev.seriatim.partition;

/** The configuration and the database disagree about the topology; the pod must not start. */
public final class TopologyMismatchException extends RuntimeException {

  TopologyMismatchException(String message) {
    super(message);
  }
}
