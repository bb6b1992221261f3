package dev.seriatim.queue;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of one published event. */
public sealed interface PublishResult {

  /**
   * Stored, now or by an earlier publish of the same event.
   *
   * @param duplicate whether the same id and content had been published before; the deliveries are
   *     those of the first time
   * @param deliveries one per matching subscription, none when nothing matched
   */
  record Accepted(String tenant, String id, boolean duplicate, List<Routed> deliveries)
      implements PublishResult {}

  /** The id is taken by an event with other content; nothing was stored. */
  record Conflict(String tenant, String id) implements PublishResult {}

  /**
   * Where one delivery of an event was queued.
   *
   * @param key the ordering key; null, as is {@code sequence}, for the ordering scope {@code NONE}
   * @param sequence 1, 2, 3, … within the lane, dense
   */
  record Routed(
      String subscription, @Nullable String key, @Nullable Long sequence, int partition) {}
}
