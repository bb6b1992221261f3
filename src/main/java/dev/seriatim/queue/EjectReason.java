package dev.seriatim.queue;

/**
 * Why a delivery is given up, as stored in the dead letters and asked for over the API; a name once
 * stored stays.
 */
public enum EjectReason {
  /** It failed as often as its subscription allows. */
  ATTEMPTS_EXHAUSTED,
  /** It has been failing for longer than its subscription allows. */
  TOO_OLD,
  /** An operator took it out of line. */
  SKIPPED
}
