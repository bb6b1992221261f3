package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BackgroundThreadTests {

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);

  /** Closing must fit into what is left of the grace period, however long a step takes. */
  @Test
  @Timeout(30)
  void stopDoesNotWaitForLongWork() throws InterruptedException {
    BackgroundThread thread = new BackgroundThread("long", Duration.ZERO, this::work);
    thread.start();
    begun.await();

    thread.stop();

    assertThat(thread.isRunning()).isFalse();
    assertThat(over.getCount()).as("it is still at work").isOne();
    gate.countDown();
    assertThat(over.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private Duration work() {
    begun.countDown();
    try {
      gate.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    over.countDown();
    return Duration.ofDays(1);
  }
}
