package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(OutputCaptureExtension.class)
class WakeUpSenderTests {

  /** What the channel was given, as it was given it; it then waits for a permit. */
  private final BlockingQueue<Set<Integer>> told = new LinkedBlockingQueue<>();

  private final Semaphore permits = new Semaphore(0);
  private final AtomicInteger answered = new AtomicInteger();
  private volatile boolean failing;
  private final WakeUpSender sender = new WakeUpSender(this::tell);

  @AfterEach
  void close() {
    permits.release(100);
    sender.close();
  }

  @Test
  void whatComesDuringOneNotificationIsTheNext() throws Exception {
    sender.send(Set.of(1));
    assertThat(next()).containsExactly(1);

    sender.send(Set.of(5, 2));
    sender.send(List.of(2, 3, 3));
    sender.send(Set.of(1));
    permits.release(1);

    assertThat(next()).containsExactly(1, 2, 3, 5);
    permits.release(1);
    sender.close();
    assertThat(told).isEmpty();
  }

  @Test
  void nothingPublishedTellsNothing() throws Exception {
    permits.release(1);
    sender.send(Set.of());
    sender.send(Set.of(4));

    assertThat(next()).containsExactly(4);
    sender.close();
    assertThat(told).isEmpty();
  }

  @Test
  void failureLosesItsPartitionsOnlyAndIsReportedOnceUntilItIsOver(CapturedOutput log)
      throws Exception {
    permits.release(100);
    failing = true;
    for (int partition = 1; partition <= 3; partition++) {
      sender.send(Set.of(partition));
      assertThat(next()).containsExactly(partition);
    }
    failing = false;
    sender.send(Set.of(4));
    assertThat(next()).containsExactly(4);
    failing = true;
    sender.send(Set.of(5));
    assertThat(next()).containsExactly(5);
    sender.close();

    assertThat(log.toString().lines().filter(line -> line.contains("Other pods cannot be told")))
        .hasSize(2)
        .allMatch(line -> line.endsWith("java.lang.IllegalStateException: away, for a test"));
  }

  @Test
  void closingTellsWhatIsWaitingAndNothingAfterwards() throws Exception {
    sender.send(Set.of(1));
    assertThat(next()).containsExactly(1);
    sender.send(Set.of(2));
    permits.release(100);

    sender.close();
    sender.send(Set.of(3));

    assertThat(told).containsExactly(Set.of(2));
  }

  @Test
  void closingDoesNotWaitForADatabaseThatIsAway() throws Exception {
    sender.send(Set.of(1));
    assertThat(next()).containsExactly(1);

    // Returns although the channel does not.
    sender.close();

    assertThat(answered).hasValue(0);
  }

  private void tell(Set<Integer> partitions) {
    told.add(partitions);
    permits.acquireUninterruptibly();
    answered.incrementAndGet();
    if (failing) {
      throw new IllegalStateException("away, for a test");
    }
  }

  private Set<Integer> next() throws InterruptedException {
    return told.poll(30, TimeUnit.SECONDS);
  }
}
