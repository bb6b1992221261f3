package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.seriatim.queue.Replay;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter that is back in the queue.
 *
 * @param alreadyDone who did it and when, if it was not this request
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ReplayedLetter(long deadLetter, Replay as, @Nullable Before alreadyDone) {

  /**
   * @param operator whose token it was
   */
  record Before(String operator, Instant at) {}
}
