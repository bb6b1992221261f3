package dev.seriatim.subscription;

/** What happens to the head of a lane when its attempts or its age run out. */
public enum OnExhausted {
  /**
   * The delivery goes to the dead letters, the lane goes on; the receiver sees a gap in the
   * sequence.
   */
  EJECT
}
