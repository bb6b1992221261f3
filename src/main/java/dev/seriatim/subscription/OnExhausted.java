package dev.seriatim.subscription;

/** What happens to the head of a lane when its attempts or its age run out. */
public enum OnExhausted {
  /**
   * The delivery goes to the dead letters, the lane goes on; the receiver sees a gap in the
   * sequence.
   */
  EJECT,
  /**
   * The delivery stays, and its lane is held with everything behind it until an operator resumes it
   * or skips the head. Other lanes go on.
   */
  PARK,
  /**
   * The delivery stays, and its partition is paused, with all lanes of all subscriptions in it,
   * until an operator resumes it.
   */
  PAUSE
}
