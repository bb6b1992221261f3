package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.subscription.OrderingScope;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whom a publish wakes, and when. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WakeUpsIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final Pod pod = new Pod(database);
  private final BlockingQueue<Set<Integer>> told = new LinkedBlockingQueue<>();

  WakeUpsIntegrationTests() {
    pod.tellOthers = told::add;
    pod.subscriptions.create("here", "acme", OrderingScope.SUBSCRIPTION);
    pod.subscriptions.create("afar", "acme", OrderingScope.SUBSCRIPTION);
    assertThat(pod.partition("here")).isNotEqualTo(pod.partition("afar"));
  }

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  @Test
  void onlyWhatIsNotDrainedHereIsToldToOthers() throws Exception {
    BlockingQueue<Integer> woken = new LinkedBlockingQueue<>();
    pod.wakeUps.listen(
        partition -> {
          woken.add(partition);
          return partition == pod.partition("here");
        });

    publish("e1");

    assertThat(next()).containsExactly(pod.partition("afar"));
    assertThat(woken).containsExactlyInAnyOrder(pod.partition("here"), pod.partition("afar"));
  }

  @Test
  void repeatedPublishWakesNobody() throws Exception {
    publish("e1");
    assertThat(next()).hasSize(2);

    publish("e1");

    pod.publisher.destroy();
    pod.wakeUpSender.close();
    assertThat(told).isEmpty();
  }

  @Test
  void publishingDoesNotWaitForTheNotification() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    pod.tellOthers =
        partitions -> {
          told.add(partitions);
          await(gate);
        };
    publish("e1");
    assertThat(next()).hasSize(2);

    for (int number = 2; number <= 20; number++) {
      publish("e" + number);
    }

    assertThat(pod.count("event")).isEqualTo(20);
    assertThat(told).as("told before the first notification was through").isEmpty();
    gate.countDown();
    assertThat(next()).as("all that came meanwhile").hasSize(2);
    pod.publisher.destroy();
    pod.wakeUpSender.close();
    assertThat(told).isEmpty();
  }

  /** A transaction that notifies holds a lock of the whole server until it is on disk. */
  @Test
  void notificationIsNoPartOfTheTransactionAndComesAfterIt() throws Exception {
    CountDownLatch committing = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    BlockingQueue<Long> stored = new LinkedBlockingQueue<>();
    Pod other = new Pod(database);
    pod.tellOthers = partitions -> stored.add(other.count("event"));
    pod.beforeCommit =
        () -> {
          committing.countDown();
          await(gate);
        };

    CompletableFuture<Void> published =
        CompletableFuture.runAsync(() -> publish("e1"), task -> Thread.ofVirtual().start(task));
    await(committing);
    // All of another pod's NOTIFY goes through meanwhile: nothing holds the lock.
    other.tellOthers.accept(Set.of(1));
    assertThat(stored).isEmpty();
    gate.countDown();
    published.get(60, TimeUnit.SECONDS);

    assertThat(stored.poll(30, TimeUnit.SECONDS)).as("events to be seen").isEqualTo(1);
    other.close();
  }

  private void publish(String id) {
    pod.publisher.publish(List.of(Pod.event("acme", id, "k")));
  }

  private Set<Integer> next() throws InterruptedException {
    return told.poll(30, TimeUnit.SECONDS);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
