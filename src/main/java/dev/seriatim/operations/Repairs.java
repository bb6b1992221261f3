package dev.seriatim.operations;

import java.util.function.Supplier;

/**
 * Runs what operators do, each in one transaction, and makes the owners look when something of it
 * is committed. If the pod dies in between, owners look by themselves within {@code
 * seriatim.drain.poll-every}. Thread-safe; blocks for the transaction.
 */
final class Repairs {

  private final Repeatable transaction;
  private final Runnable look;

  /**
   * @param look makes all pods look at what has changed; must not block
   */
  Repairs(Repeatable transaction, Runnable look) {
    this.transaction = transaction;
    this.look = look;
  }

  /**
   * What came of it.
   *
   * @param changed whether anything is different now
   */
  record Outcome<T>(T answer, boolean changed) {}

  /**
   * @param work its statements and its entry in the audit; nothing of it stays when it throws; runs
   *     again after a deadlock
   */
  <T> T run(Supplier<Outcome<T>> work) {
    Outcome<T> outcome = transaction.execute(work);
    if (outcome.changed()) {
      look.run();
    }
    return outcome.answer();
  }
}
