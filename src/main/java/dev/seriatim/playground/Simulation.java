package dev.seriatim.playground;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Runs a workload one way, from moment to moment of virtual time. Used once; not thread-safe. */
final class Simulation {

  private record Work(Line.Task task, long startMs, long endMs) {}

  private final Workload workload;
  private final Line line;
  private final StatusBoard board;

  /** By consumer; null for a free one. */
  private final @Nullable Work[] work;

  private final List<Attempt> attempts = new ArrayList<>();
  private int published;

  Simulation(Workload workload, Way way) {
    this.workload = workload;
    this.line = way.line(workload);
    this.board = new StatusBoard(way.versioned());
    this.work = new @Nullable Work[workload.switches().consumers()];
  }

  /** All attempts, in the order in which they ended; of those at one moment, by consumer. */
  List<Attempt> run() {
    OptionalLong now = OptionalLong.of(0);
    while (now.isPresent()) {
      finish(now.getAsLong());
      publish(now.getAsLong());
      start(now.getAsLong());
      now = momentAfter(now.getAsLong());
    }
    return List.copyOf(attempts);
  }

  StatusBoard board() {
    return board;
  }

  private void finish(long now) {
    for (int consumer = 0; consumer < work.length; consumer++) {
      Work done = work[consumer];
      if (done != null && done.endMs() == now) {
        work[consumer] = null;
        land(consumer, done);
      }
    }
  }

  private void land(int consumer, Work done) {
    Line.Task task = done.task();
    OrderEvent event = task.event();
    Attempt.Outcome outcome;
    if (workload.fails(event, task.attempt())) {
      outcome = Attempt.Outcome.FAILED;
      line.failed(consumer, task, done.endMs(), done.endMs() + Workload.waitMs(task.attempt()));
    } else {
      outcome = board.write(event);
      line.succeeded(consumer, task, done.endMs());
    }
    attempts.add(
        new Attempt(event, task.attempt(), consumer, done.startMs(), done.endMs(), outcome));
  }

  private void publish(long now) {
    List<OrderEvent> events = workload.events();
    while (published < events.size() && events.get(published).publishedMs() <= now) {
      line.published(events.get(published), now);
      published++;
    }
  }

  private void start(long now) {
    for (int consumer = 0; consumer < work.length; consumer++) {
      if (work[consumer] == null) {
        Line.Task task = line.next(consumer, now);
        if (task != null) {
          long endMs = now + workload.processingMs(task.event(), task.attempt());
          work[consumer] = new Work(task, now, endMs);
        }
      }
    }
  }

  /**
   * When something happens next; empty when nothing is left. What is due already waits for a free
   * consumer, which is a moment of its own.
   */
  private OptionalLong momentAfter(long now) {
    LongStream.Builder moments = LongStream.builder();
    for (Work busy : work) {
      if (busy != null) {
        moments.add(busy.endMs());
      }
    }
    if (published < workload.events().size()) {
      moments.add(workload.events().get(published).publishedMs());
    }
    OptionalLong due = line.nextDue();
    if (due.isPresent()) {
      moments.add(due.getAsLong());
    }
    return moments.build().filter(moment -> moment > now).min();
  }
}
