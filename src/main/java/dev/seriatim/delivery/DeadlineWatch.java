package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends requests whose deadline has passed, at most {@value #TICK_MILLIS} ms late. It looks over all
 * of them at every tick instead of setting a timer for each: at tens of thousands of requests a
 * second, nearly all of which end by themselves, this is the cheaper by far.
 *
 * <p>Concurrency: thread-safe. A request is ended on a thread of its own, so that one whose
 * connection is slow to close cannot hold up the others' deadlines.
 */
final class DeadlineWatch implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DeadlineWatch.class);
  private static final int TICK_MILLIS = 20;

  private final Set<Flight> flights = ConcurrentHashMap.newKeySet();
  private final MonotonicClock clock;
  private final ScheduledExecutorService ticker =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("seriatim-deadlines").factory());
  private final ScheduledFuture<?> ticks;

  DeadlineWatch(MonotonicClock clock) {
    this.clock = clock;
    this.ticks =
        ticker.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  void add(Flight flight) {
    flights.add(flight);
  }

  void remove(Flight flight) {
    flights.remove(flight);
  }

  private void tick() {
    try {
      long now = clock.nanos();
      for (Flight flight : flights) {
        if (flight.remaining(now) <= 0 && flights.remove(flight)) {
          Thread.ofVirtual().name("seriatim-expire").start(flight::expire);
        }
      }
    } catch (RuntimeException | Error e) {
      // The scheduler would not call again, and no deadline would hold any more.
      log.error("A look at the deadlines failed; the next is in {} ms", TICK_MILLIS, e);
    }
  }

  @Override
  public void close() {
    ticks.cancel(false);
    ticker.shutdownNow();
  }
}
