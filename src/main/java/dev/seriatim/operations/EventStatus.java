package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event and where each of its deliveries stands; without its payload.
 *
 * @param deliveries one per subscription that matched when it was published, in that order
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record EventStatus(
    String id,
    String tenant,
    String type,
    @Nullable String resource,
    String contentType,
    Instant publishedAt,
    List<DeliveryStatus> deliveries) {

  /**
   * @param lane its id, absent, as are {@code key} and {@code sequence}, for the ordering scope
   *     {@code NONE}
   * @param sequence of the latest replay if that is in the queue
   * @param attempts that came to a verdict; absent when their history is no longer kept
   * @param nextAttemptAt only while it is in the queue, after a failed attempt; may have passed
   * @param lastVerdict absent before the first attempt
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record DeliveryStatus(
      String subscription,
      @Nullable Long lane,
      @Nullable String key,
      @Nullable Long sequence,
      int partition,
      DeliveryState state,
      @Nullable Integer attempts,
      @Nullable Instant nextAttemptAt,
      @Nullable String lastVerdict) {}
}
