package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.Verdict;
import org.jspecify.annotations.Nullable;

/** What a started delivery came to, once it is recorded; what the lanes need to know. */
sealed interface AttemptResult {

  /** The delivery as it was started. */
  Delivery delivery();

  /** The verdict on it, null without one. */
  @Nullable Verdict verdict();

  /** Out of the queue. */
  record Settled(Delivery delivery, Verdict verdict) implements AttemptResult {}

  /** Still the head, with one attempt more, due later. */
  record Retrying(Delivery delivery, Verdict verdict, Delivery head) implements AttemptResult {}

  /** The endpoint is gone and its subscription disabled; the delivery is still the head. */
  record Disabled(Delivery delivery, Verdict verdict, Delivery head) implements AttemptResult {}

  /** Failed for good: its lane is held, with it as the head. */
  record Parked(Delivery delivery, Verdict verdict, String reason) implements AttemptResult {}

  /** Failed for good: its partition is paused, and it is still the head. */
  record Paused(Delivery delivery, Verdict verdict, Delivery head) implements AttemptResult {}

  /** No request went out, or its fate is of no interest any more: no verdict, no attempt. */
  record NotSent(Delivery delivery) implements AttemptResult {
    @Override
    public @Nullable Verdict verdict() {
      return null;
    }
  }

  /** The partition is somebody else's by now. */
  record Fenced(Delivery delivery) implements AttemptResult {
    @Override
    public @Nullable Verdict verdict() {
      return null;
    }
  }
}
