package dev.seriatim.subscription;

/** What waits behind a failing head, until it is delivered or out of line or its lane held. */
public enum Blocks {
  /** Its own lane only. */
  LANE,
  /**
   * All lanes of its partition, also those of other subscriptions. What is under way when the head
   * fails ends.
   */
  PARTITION
}
