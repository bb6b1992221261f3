package dev.seriatim.queue;

/**
 * More publishes are waiting for the database than {@code seriatim.publish.max-waiting} allows.
 * Nothing was stored.
 */
public final class TooManyWaitingException extends RuntimeException {

  public TooManyWaitingException(int maxWaiting) {
    super("more than " + maxWaiting + " events are waiting to be stored");
  }
}
