package dev.seriatim.delivery;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is: endpoints that can start a lane take turns, within the cap of each and the
 * limit of the partition. An endpoint with ten thousand ready lanes gets no more turns than one
 * with a single lane. While there are {@link Blockers}, only these start. No thread-safety: the
 * drainer's.
 */
final class Turns {

  private final int limit;
  private final Map<Long, Endpoint> endpoints = new HashMap<>();

  /** Endpoints that could start a lane now, in the order of their turns. */
  private final LinkedHashSet<Endpoint> able = new LinkedHashSet<>();

  private final Blockers blockers;
  private int inFlight;
  private int startable;

  /**
   * @param limit lanes of the partition that may send at once
   */
  Turns(int limit, Blockers blockers) {
    this.limit = limit;
    this.blockers = blockers;
  }

  /** Sets the cap of an endpoint, new or known. */
  Endpoint cap(long pk, int cap) {
    Endpoint endpoint = endpoints.computeIfAbsent(pk, Endpoint::new);
    endpoint.cap = cap;
    refresh(endpoint);
    return endpoint;
  }

  /** Sets what the gate of a known endpoint lets pass. */
  Endpoint gate(long pk, int atOnce, boolean paused) {
    Endpoint endpoint = endpoint(pk);
    endpoint.gate = atOnce;
    endpoint.paused = paused;
    refresh(endpoint);
    return endpoint;
  }

  /** An endpoint whose cap was set before. */
  Endpoint endpoint(long pk) {
    Endpoint endpoint = endpoints.get(pk);
    if (endpoint == null) {
      throw new IllegalStateException("endpoint " + pk + " has no cap yet");
    }
    return endpoint;
  }

  /** Lanes under way. */
  int inFlight() {
    return inFlight;
  }

  /** How many lanes could start if the partition had no limit. */
  int startable() {
    return startable;
  }

  boolean canStart() {
    return inFlight < limit && (blockers.none() ? !able.isEmpty() : blockers.startable() != null);
  }

  /** The lane is the last of its endpoint's ready ones. */
  void ready(Lane lane) {
    lane.endpoint.ready.addLast(lane);
    refresh(lane.endpoint);
  }

  /** The lane is not among the ready ones any more. */
  void unready(Lane lane) {
    lane.endpoint.ready.remove(lane);
    refresh(lane.endpoint);
  }

  /** The endpoint has no ready lanes any more. */
  void clearReady(Endpoint endpoint) {
    endpoint.ready.clear();
    refresh(endpoint);
  }

  /** Starts the lane whose turn it is; null when none can start. */
  @Nullable Lane start() {
    if (!canStart()) {
      return null;
    }
    Lane lane = blockers.startable();
    Endpoint endpoint = lane == null ? able.removeFirst() : lane.endpoint;
    if (lane == null) {
      lane = endpoint.ready.removeFirst();
    } else {
      able.remove(endpoint); // to the end
      endpoint.ready.remove(lane);
    }
    inFlight++;
    endpoint.inFlight++;
    refresh(endpoint);
    return lane;
  }

  /** A started lane is not under way any more. */
  void landed(Endpoint endpoint) {
    inFlight--;
    endpoint.inFlight--;
    refresh(endpoint);
  }

  /**
   * Keeps the turns and the count in step with an endpoint; an endpoint that just started goes to
   * the end.
   */
  private void refresh(Endpoint endpoint) {
    int could = endpoint.able();
    startable += could - endpoint.startable;
    endpoint.startable = could;
    if (could > 0) {
      able.add(endpoint);
    } else {
      able.remove(endpoint);
    }
  }
}
