package dev.seriatim.queue;

/** How a delivery came back into the queue after it had left it. */
public enum Replay {
  /**
   * With the {@code webhook-id} and the sequence that it had, ahead of what waits in its lane with
   * higher ones.
   */
  ORIGINAL,
  /** As a copy with an id of its own, with the next sequence at the end of its lane. */
  NEW
}
