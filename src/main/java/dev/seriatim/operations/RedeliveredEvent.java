package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.seriatim.queue.Replay;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a wish to deliver an event again.
 *
 * @param id of the event
 */
record RedeliveredEvent(String tenant, String id, Replay as, List<One> deliveries) {

  enum Outcome {
    /** It is in the queue again. */
    REDELIVERED,
    /** It was queued for this subscription already; nothing was changed. */
    STILL_QUEUED,
    /** The subscription was deleted: it gets nothing any more. */
    SUBSCRIPTION_DELETED
  }

  /**
   * @param key absent, as is {@code sequence}, without order and for an event that was never for
   *     this subscription
   * @param sequence with which it was published; a copy has the next one of its lane
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record One(String subscription, @Nullable String key, @Nullable Long sequence, Outcome outcome) {}
}
