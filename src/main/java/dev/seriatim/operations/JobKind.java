package dev.seriatim.operations;

/** What a job does, as stored; a name once stored stays. */
enum JobKind {
  /** Replays the dead letters of a filter. */
  REPLAY_DEAD_LETTERS,
  /** Delivers the events of a time range again to one subscription. */
  REDELIVER
}
