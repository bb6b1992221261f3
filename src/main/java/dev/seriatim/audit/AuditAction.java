package dev.seriatim.audit;

/** What an operator can do, as stored in the audit; a name once stored stays. */
public enum AuditAction {
  /** A lane is held. */
  PARK_LANE,
  /** A held lane goes on, its head from its first attempt. */
  RESUME_LANE,
  /** The head of a lane went to the dead letters. */
  SKIP_HEAD,
  /** The head of a lane is due at once. */
  RETRY_HEAD,
  /** A partition sends nothing. */
  PAUSE_PARTITION,
  /** A paused partition goes on, its exhausted heads from their first attempt. */
  RESUME_PARTITION,
  /** A dead letter went back into the queue. */
  REPLAY_DEAD_LETTER,
  /** A job that replays the dead letters of a filter. */
  REPLAY_DEAD_LETTERS,
  /** A dead letter was hidden for good. */
  DISCARD_DEAD_LETTER,
  /** An event that had been delivered went into the queue again. */
  REDELIVER_EVENT,
  /** A job that delivers the events of a time range again. */
  REDELIVER_RANGE,
  /** A job was stopped before its end. */
  CANCEL_JOB,
  /** A subscription is there. */
  CREATE_SUBSCRIPTION,
  /** A subscription is another one than before. */
  CHANGE_SUBSCRIPTION,
  /** A disabled subscription goes on, with what was held of it. */
  ENABLE_SUBSCRIPTION,
  /** A subscription gets no new events, and what is queued for it is held. */
  DISABLE_SUBSCRIPTION,
  /** A subscription is gone, and what is queued for it is cancelled. */
  DELETE_SUBSCRIPTION
}
