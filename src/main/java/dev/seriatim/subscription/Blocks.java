package dev.seriatim.subscription;

/** What waits behind a failing head. */
public enum Blocks {
  /** Its own lane only. */
  LANE
}
