package dev.seriatim.queue;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * One delivery of an event as {@code event.deliveries} remembers it: what the producer was
 * answered, and the numbers by which the delivery, its lane and its subscription are found. The
 * JSON is stored data: members may be added, never renamed.
 *
 * @param delivery number of the delivery
 * @param pk number of the subscription
 * @param subscription id of the subscription
 * @param lane number of the lane; null, as are {@code key} and {@code sequence}, without order
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StoredRoute(
    long delivery,
    long pk,
    String subscription,
    @Nullable Long lane,
    @Nullable String key,
    @Nullable Long sequence,
    int partition) {

  /** A mapper of its own: what is stored must not change with the settings of the API. */
  private static final JsonMapper MAPPER = new JsonMapper();

  static String toJson(List<StoredRoute> routes) {
    return MAPPER.writeValueAsString(routes);
  }

  /** Reads {@code event.deliveries}. */
  public static List<StoredRoute> fromJson(String json) {
    return Arrays.asList(MAPPER.readValue(json, StoredRoute[].class));
  }

  PublishResult.Routed answer() {
    return new PublishResult.Routed(subscription, key, sequence, partition);
  }
}
