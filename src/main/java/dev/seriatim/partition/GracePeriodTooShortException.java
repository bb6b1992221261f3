package dev.seriatim.partition;

/** The platform would kill the pod in the middle of a clean stop; the pod must not start. */
public final class GracePeriodTooShortException extends IllegalArgumentException {

  GracePeriodTooShortException(String message) {
    super(message);
  }
}
