package dev.seriatim.playground;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.stream.LongStream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * First in, first out, with as many queues as there are partitions. One queue for all consumers is
 * the shared queue; with a queue each, they are hash partitions.
 */
final class QueueLine implements Line {

  private record Due(Task task, int queue, long at) {}

  private final List<String> keys;
  private final boolean toBack;
  private final List<Queue<Task>> queues = new ArrayList<>();

  /** What a consumer waits with, by consumer; it takes nothing else meanwhile. */
  private final @Nullable Due[] kept;

  /** What goes to the back of its queue when it is due. */
  private final PriorityQueue<Due> later = new PriorityQueue<>(Comparator.comparingLong(Due::at));

  private QueueLine(int queueCount, Workload workload) {
    this.keys = workload.keys();
    this.toBack = workload.switches().failing() == Switches.Failing.TO_BACK;
    this.kept = new @Nullable Due[workload.switches().consumers()];
    for (int i = 0; i < queueCount; i++) {
      queues.add(new ArrayDeque<>());
    }
  }

  /** One queue that all consumers take from. */
  static QueueLine shared(Workload workload) {
    return new QueueLine(1, workload);
  }

  /** A partition per consumer; the hash of an order's key says which. */
  static QueueLine partitions(Workload workload) {
    return new QueueLine(workload.switches().consumers(), workload);
  }

  @Override
  public void published(OrderEvent event, long now) {
    queues.get(queueOf(event)).add(new Task(event, 1));
  }

  @Override
  public @Nullable Task next(int consumer, long now) {
    while (!later.isEmpty() && later.peek().at() <= now) {
      Due due = later.remove();
      queues.get(due.queue()).add(due.task());
    }
    Due mine = kept[consumer];
    if (mine == null) {
      return queues.get(consumer % queues.size()).poll();
    }
    if (mine.at() > now) {
      return null;
    }
    kept[consumer] = null;
    return mine.task();
  }

  @Override
  public void succeeded(int consumer, Task task, long now) {
    // Taken means gone.
  }

  @Override
  public void failed(int consumer, Task task, long now, long dueAt) {
    Due due = new Due(new Task(task.event(), task.attempt() + 1), queueOf(task.event()), dueAt);
    if (toBack) {
      later.add(due);
    } else {
      kept[consumer] = due;
    }
  }

  @Override
  public OptionalLong nextDue() {
    LongStream.Builder times = LongStream.builder();
    later.forEach(due -> times.add(due.at()));
    for (Due mine : kept) {
      if (mine != null) {
        times.add(mine.at());
      }
    }
    return times.build().min();
  }

  private int queueOf(OrderEvent event) {
    CRC32 hash = new CRC32();
    hash.update(keys.get(event.order()).getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % queues.size());
  }
}
