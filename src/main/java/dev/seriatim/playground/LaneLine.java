package dev.seriatim.playground;

import dev.seriatim.delivery.VirtualLanes;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A lane per order: the lanes with which the service delivers. */
final class LaneLine implements Line {

  private record Place(long lane, long sequence) {}

  private final VirtualLanes lanes;
  private final Map<Place, OrderEvent> events = new HashMap<>();

  LaneLine(int consumers) {
    this.lanes = new VirtualLanes(consumers);
  }

  @Override
  public void published(OrderEvent event, long now) {
    events.put(new Place(lane(event), event.version()), event);
    lanes.publish(lane(event), event.version(), now);
  }

  @Override
  public @Nullable Task next(int consumer, long now) {
    VirtualLanes.Start start = lanes.next(now);
    if (start == null) {
      return null;
    }
    OrderEvent event = events.get(new Place(start.lane(), start.sequence()));
    if (event == null) {
      throw new IllegalStateException("the lanes sent what was never published: " + start);
    }
    return new Task(event, start.attempt());
  }

  @Override
  public void succeeded(int consumer, Task task, long now) {
    lanes.settled(lane(task.event()), now);
  }

  @Override
  public void failed(int consumer, Task task, long now, long dueAt) {
    lanes.retry(lane(task.event()), now, dueAt);
  }

  @Override
  public OptionalLong nextDue() {
    return lanes.nextWake();
  }

  /** Lanes count from 1. */
  private static long lane(OrderEvent event) {
    return event.order() + 1L;
  }
}
