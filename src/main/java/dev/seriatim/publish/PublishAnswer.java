package dev.seriatim.publish;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.seriatim.queue.PublishResult;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a producer is told of an event that is stored.
 *
 * @param duplicate whether the same id and content had been published before
 * @param deliveries one per matching subscription, as they were when it was first published
 * @param note says so when there are none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record PublishAnswer(
    String id, String tenant, boolean duplicate, List<Queued> deliveries, @Nullable String note) {

  private static final String UNMATCHED = "no enabled subscription of this tenant wants this type";

  /**
   * @param key absent, as is {@code sequence}, for the ordering scope {@code NONE}
   */
  @Schema(name = "QueuedDelivery")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Queued(
      String subscription, @Nullable String key, @Nullable Long sequence, int partition) {}

  static PublishAnswer of(PublishResult.Accepted accepted) {
    List<Queued> deliveries =
        accepted.deliveries().stream()
            .map(d -> new Queued(d.subscription(), d.key(), d.sequence(), d.partition()))
            .toList();
    return new PublishAnswer(
        accepted.id(),
        accepted.tenant(),
        accepted.duplicate(),
        deliveries,
        deliveries.isEmpty() ? UNMATCHED : null);
  }

  /** 202 for the first time, 200 for a repeat. */
  int status() {
    return duplicate ? 200 : 202;
  }
}
