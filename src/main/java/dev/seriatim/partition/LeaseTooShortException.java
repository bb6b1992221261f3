package dev.seriatim.partition;

/** No send could ever start under leases this short; the pod must not start. */
public final class LeaseTooShortException extends IllegalArgumentException {

  LeaseTooShortException(String message) {
    super(message);
  }
}
