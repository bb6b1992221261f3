package dev.seriatim.operations;

/** One kind of things that go when they are old, a bounded piece of work at a time. */
interface RetentionStep {

  /** The rows of the table {@code retention}. */
  enum Kind {
    ATTEMPTS,
    EVENTS
  }

  enum Outcome {
    /** There may be more to do: call again, after a pause. */
    MORE,
    /** Nothing more to do for now. */
    DONE,
    /** Another pod is at it, or nothing is due. */
    NOT_NOW
  }

  Kind kind();

  /**
   * One transaction of bounded work, if it is due and nobody else is at it. Blocks for it. What was
   * not committed at a crash is done by the next step of any pod.
   *
   * @throws org.springframework.dao.DataAccessException if it failed; nothing was changed
   */
  Outcome step();
}
