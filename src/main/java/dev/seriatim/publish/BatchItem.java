package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.NewEvent;

/** One element of a batch as it was read. */
sealed interface BatchItem {

  /** An event that can be stored. */
  record Readable(NewEvent event) implements BatchItem {}

  /** Not an event; only this element is refused. */
  record Refused(ProblemException problem) implements BatchItem {}
}
