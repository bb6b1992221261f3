package dev.seriatim.operations;

/** Why deliveries are given up, as the dead letters have it stored. */
enum EjectReason {
  /** Failed as often as the subscription allows. */
  ATTEMPTS_EXHAUSTED,
  /** Failing for longer than the subscription allows. */
  TOO_OLD
}
