package dev.seriatim.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt came to. Waiting, interruption by a deploy and the like are no verdicts and
 * count as no attempt.
 */
public sealed interface Verdict {

  /** The one word for it. */
  VerdictCode code();

  /** The HTTP status, null when there was no answer. */
  @Nullable Integer status();

  /** 2xx. */
  record Delivered(Integer status) implements Verdict {
    @Override
    public VerdictCode code() {
      return VerdictCode.DELIVERED;
    }
  }

  /** 410: the subscription is disabled and what is queued for it held. */
  record Gone(Integer status) implements Verdict {
    @Override
    public VerdictCode code() {
      return VerdictCode.GONE;
    }
  }

  /**
   * To be tried again.
   *
   * @param retryAfter the receiver's hint, null without a readable one; it may lengthen the wait,
   *     never shorten it
   */
  record Failed(VerdictCode code, @Nullable Integer status, @Nullable Duration retryAfter)
      implements Verdict {}
}
