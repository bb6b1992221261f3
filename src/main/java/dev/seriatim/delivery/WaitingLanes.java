package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import java.util.Comparator;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Lanes whose head is not due yet, by when it is. No thread-safety: the drainer's. */
final class WaitingLanes {

  private final TreeSet<Lane> lanes =
      new TreeSet<>(
          Comparator.<Lane>comparingLong(lane -> lane.wakeAt).thenComparingLong(lane -> lane.key));

  int count() {
    return lanes.size();
  }

  void add(Lane lane, long wakeAt) {
    lane.state = Lane.State.WAITING;
    lane.wakeAt = wakeAt;
    lane.endpoint.lanes--;
    lane.endpoint.waiting++;
    lanes.add(lane);
  }

  /** The lane does not wait any more; nothing happens if it did not. */
  void remove(Lane lane) {
    if (lanes.remove(lane)) {
      lane.endpoint.waiting--;
      lane.endpoint.lanes++;
    }
  }

  /** Takes out a lane whose wait is over; null when there is none. */
  @Nullable Lane due(long now) {
    if (lanes.isEmpty() || lanes.first().wakeAt - now > 0) {
      return null;
    }
    Lane lane = lanes.first();
    remove(lane);
    return lane;
  }

  /** When the next wait is over. */
  OptionalLong nextWake() {
    return lanes.isEmpty() ? OptionalLong.empty() : OptionalLong.of(lanes.first().wakeAt);
  }

  /** As {@link KeyLanes#reschedule}. */
  void reschedule(Endpoint endpoint, UnaryOperator<Delivery> times) {
    for (Lane lane : lanes.stream().filter(lane -> lane.endpoint == endpoint).toList()) {
      lanes.remove(lane); // before its place in the set is another
      Delivery head = times.apply(lane.line.getFirst());
      lane.replaceHead(head);
      lane.wakeAt = head.dueAt();
      lanes.add(lane);
    }
  }
}
