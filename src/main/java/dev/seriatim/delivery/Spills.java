package dev.seriatim.delivery;

import dev.seriatim.delivery.KeyLanes.EndpointRead;
import dev.seriatim.queue.Place;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints that have more lanes than are kept: rows of further lanes are passed over, and the
 * lowest place is remembered, to be read from again when there is room. No thread-safety: the
 * drainer's.
 */
final class Spills {

  /**
   * Waiting lanes of an endpoint, each a head and no more, may be this many times its other lanes.
   */
  private static final int WAITING_SHARE = 10;

  private final KeyLanes.Limits limits;

  /** The lowest place of a row that was passed over. */
  private final Map<Endpoint, Place> behind = new LinkedHashMap<>();

  Spills(KeyLanes.Limits limits) {
    this.limits = limits;
  }

  /** Whether a further lane of the endpoint is passed over. */
  boolean full(Endpoint endpoint) {
    return endpoint.lanes >= limits.lanesPerEndpoint()
        || endpoint.waiting >= WAITING_SHARE * limits.lanesPerEndpoint();
  }

  private boolean halfEmpty(Endpoint endpoint) {
    return endpoint.lanes <= limits.lanesPerEndpoint() / 2
        && endpoint.waiting <= WAITING_SHARE * limits.lanesPerEndpoint() / 2;
  }

  void passOver(Endpoint endpoint, Place place) {
    behind.merge(endpoint, place, (one, other) -> one.compareTo(other) <= 0 ? one : other);
  }

  /** What is to be read again because there is room. */
  List<EndpointRead> behind() {
    return behind.entrySet().stream()
        .filter(spilled -> halfEmpty(spilled.getKey()))
        .map(spilled -> new EndpointRead(spilled.getKey().pk, spilled.getValue()))
        .toList();
  }

  /** As {@link KeyLanes#readingBehind}. */
  void reading(Endpoint endpoint, Place from, @Nullable Place onwards) {
    Place lowest = behind.get(endpoint);
    if (lowest != null && lowest.compareTo(from) < 0) {
      return; // something lower has been passed over since it was asked for: it is read from there
    }
    if (onwards == null) {
      behind.remove(endpoint);
    } else {
      behind.put(endpoint, onwards);
    }
  }

  /**
   * Whether a lane that has had its share of turns should be forgotten for others of its endpoint
   * that were passed over. It comes back when its rows are read again.
   */
  boolean mustMakeRoom(Lane lane) {
    return behind.containsKey(lane.endpoint)
        && lane.turns >= limits.linePerLane()
        && lane.endpoint.lanes > limits.lanesPerEndpoint() / 2
        && lane.line.getFirst().subscriptionPk() == lane.endpoint.pk
        && !lane.blocks();
  }
}
