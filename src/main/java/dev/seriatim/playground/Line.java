package dev.seriatim.playground;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Events that wait, and who may take which. Times are virtual milliseconds. Not thread-safe. */
sealed interface Line permits QueueLine, LaneLine {

  /**
   * An event to be processed now.
   *
   * @param attempt 1, 2, …
   */
  record Task(OrderEvent event, int attempt) {}

  /** The event is there. */
  void published(OrderEvent event, long now);

  /** What a free consumer is to do now; null for nothing. */
  @Nullable Task next(int consumer, long now);

  /** The consumer has done it. */
  void succeeded(int consumer, Task task, long now);

  /** The attempt came to nothing; the next one is due at a time. */
  void failed(int consumer, Task task, long now, long dueAt);

  /** When something is due that waits for its time; empty when nothing does. */
  OptionalLong nextDue();
}
