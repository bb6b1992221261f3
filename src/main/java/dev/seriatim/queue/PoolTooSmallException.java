package dev.seriatim.queue;

/** The connection pool cannot carry what a pod does at once; the pod must not start. */
public final class PoolTooSmallException extends RuntimeException {

  PoolTooSmallException(String message) {
    super(message);
  }
}
