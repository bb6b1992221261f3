package dev.seriatim.queue;

import java.time.Duration;

/** What is to be recorded of one attempt. */
public sealed interface Settlement {

  /** The delivery it is about, as it was before the attempt. */
  Delivery delivery();

  /** How the attempt went. */
  Exchange exchange();

  /** Delivered: out of the queue. */
  record Delivered(Delivery delivery, Exchange exchange) implements Settlement {}

  /**
   * Failed, to be tried again after a delay, which survives this pod.
   *
   * @param asked whether the receiver asked for it: no change of the policy shortens it then
   */
  record Retry(Delivery delivery, Exchange exchange, Duration delay, boolean asked)
      implements Settlement {}

  /** Failed for good: out of the queue, into the dead letters. */
  record Eject(Delivery delivery, Exchange exchange, EjectReason reason) implements Settlement {}

  /**
   * Failed for good, and stays: its lane is held with this reason, everything behind it included.
   * The delivery is in a lane.
   */
  record Park(Delivery delivery, Exchange exchange, String reason) implements Settlement {}

  /** Failed for good, and stays: its partition is paused with this reason. */
  record Pause(Delivery delivery, Exchange exchange, String reason) implements Settlement {}

  /**
   * The endpoint is gone: the subscription is disabled with this reason, the delivery stays at the
   * head.
   */
  record Disable(Delivery delivery, Exchange exchange, String reason) implements Settlement {}
}
