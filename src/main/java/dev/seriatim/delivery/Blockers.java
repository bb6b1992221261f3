package dev.seriatim.delivery;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lanes whose failing head lets nothing else of the partition start until it is out of line or its
 * lane held. Those already under way are not called back, so there may be several; each is tried
 * again when it is due. No thread-safety: the drainer's.
 */
final class Blockers {

  private final LinkedHashSet<Lane> lanes = new LinkedHashSet<>();

  /** Lanes that block as far as is known, and are still to be read. */
  private final Set<Long> expected = new HashSet<>();

  /** Endpoints whose failing heads block. */
  private final Set<Endpoint> endpoints = new HashSet<>();

  /** Whether failing heads of the endpoint block from now on; lanes are judged anew. */
  void endpoint(Endpoint endpoint, boolean blocks) {
    endpoint.blocks = blocks;
    if (blocks) {
      endpoints.add(endpoint);
    } else {
      endpoints.remove(endpoint);
    }
  }

  /** Whether other lanes may start. */
  boolean none() {
    return lanes.isEmpty() && expected.isEmpty();
  }

  /** The head of this lane is what it is until the next call. */
  void judge(Lane lane) {
    expected.remove(lane.key);
    if (lane.blocks()) {
      lanes.add(lane);
    } else {
      lanes.remove(lane);
    }
  }

  /** The lane is going to be read and to block. */
  void expect(Lane lane) {
    expected.add(lane.key);
  }

  /** The lane is to be read again, and may then have another head: one that blocks, if any can. */
  void reread(Lane lane) {
    lanes.remove(lane);
    if (!endpoints.isEmpty()) {
      expected.add(lane.key);
    }
  }

  /** The lane is not in memory any more. */
  void forget(Lane lane) {
    lanes.remove(lane);
    expected.remove(lane.key);
  }

  /** One that can start now, or null. */
  @Nullable Lane startable() {
    for (Lane lane : lanes) {
      if (lane.state == Lane.State.READY && lane.endpoint.startable > 0) {
        return lane;
      }
    }
    return null;
  }
}
