package dev.seriatim.partition;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends what is under way when a lost lease connection is not replaced while {@link Liveness} lasts.
 * On a thread of its own, because the lease thread may be waiting for a database that cannot be
 * reached just then.
 *
 * <p>Concurrency: lease thread only; {@code lapsed} is called from the watching thread.
 */
final class LapseWatch {

  private final Liveness liveness;
  private final Runnable lapsed;
  private @Nullable CountDownLatch replaced;

  LapseWatch(Liveness liveness, Runnable lapsed) {
    this.liveness = liveness;
    this.lapsed = lapsed;
  }

  /** The connection is lost; the clock runs since its last sign of life. */
  void lost() {
    long left = liveness.left();
    if (replaced != null || left == Long.MAX_VALUE) {
      return; // watched already, or nobody looks
    }
    CountDownLatch inTime = new CountDownLatch(1);
    replaced = inTime;
    // Of its own, not one of many virtual ones that wait for a carrier: time is short.
    Thread.ofPlatform()
        .daemon()
        .name("lease-lapse")
        .start(
            () -> {
              if (!arrived(inTime, left)) {
                lapsed.run();
              }
            });
  }

  /** There is a new one, and the others know its lock. */
  void replaced() {
    CountDownLatch waiting = replaced;
    if (waiting != null) {
      waiting.countDown();
      replaced = null;
    }
  }

  private static boolean arrived(CountDownLatch latch, long nanos) {
    try {
      return latch.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      // Nobody interrupts it; if somebody does, ending what is under way is the safe side.
      return false;
    }
  }
}
