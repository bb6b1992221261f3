package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestDatabase;
import dev.seriatim.subscription.OrderingScope;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.TestSubscriptions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SubscriptionCacheIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private final DataSource dataSource = database.dataSource();
  private final TestSubscriptions subscriptions = new TestSubscriptions(dataSource);
  private final long a = subscriptions.create("a", "acme", OrderingScope.RESOURCE);
  private final long b = subscriptions.create("b", "acme", OrderingScope.RESOURCE);

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void knowsWhatWasRequired() {
    SubscriptionCache cache = new SubscriptionCache(subscriptions.directory());

    cache.require(List.of(a, 999L));

    assertThat(cache.get(a).id()).isEqualTo("a");
    assertThatThrownBy(() -> cache.get(b)).hasMessageContaining(b + " was not required before");
    assertThatThrownBy(() -> cache.get(999)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refreshNamesWhatChangedOfWhatIsKnown() {
    SubscriptionCache cache = new SubscriptionCache(subscriptions.directory());
    assertThat(cache.refresh()).isEmpty();
    cache.require(List.of(a));
    assertThat(cache.refresh()).isEmpty();

    subscriptions.redirect("a", "acme", "https://elsewhere.example/");
    subscriptions.redirect("b", "acme", "https://elsewhere.example/");

    assertThat(cache.refresh()).containsExactly(a);
    assertThat(cache.get(a).url()).hasToString("https://elsewhere.example/");
    assertThat(cache.refresh()).isEmpty();
    subscriptions.disable("a");
    assertThat(cache.refresh()).containsExactly(a);
    assertThat(cache.get(a).state()).isEqualTo(Subscription.State.DISABLED);
    subscriptions.delete("a");
    assertThat(cache.refresh()).containsExactly(a);
    assertThat(cache.get(a).state()).isEqualTo(Subscription.State.DELETED);
  }

  /** The first deliveries are read before the poller has looked for the first time. */
  @Test
  void changeBetweenTheFirstLoadAndTheFirstRefreshIsNotMissed() {
    SubscriptionCache cache = new SubscriptionCache(subscriptions.directory());
    cache.require(List.of(a));
    subscriptions.disable("a");

    assertThat(cache.refresh()).containsExactly(a);

    assertThat(cache.get(a).state()).isEqualTo(Subscription.State.DISABLED);
  }

  /** It is loaded, then changed and looked for, and only then known. */
  @Test
  void changeDuringALoadIsNotMissed() throws Exception {
    CountDownLatch loaded = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    SubscriptionCache cache =
        new SubscriptionCache(
            TestSubscriptions.directory(
                dataSource,
                () -> {
                  loaded.countDown();
                  awaitUninterruptibly(gate);
                }));
    assertThat(cache.refresh()).isEmpty();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(
            () -> cache.require(List.of(a)), task -> Thread.ofVirtual().start(task));
    awaitUninterruptibly(loaded);
    subscriptions.disable("a");
    CompletableFuture<Set<Long>> refresh = new CompletableFuture<>();
    Thread refreshing = Thread.ofVirtual().start(() -> refresh.complete(cache.refresh()));
    // Either it waits for the load, or it is over and has missed the change.
    await().until(() -> refresh.isDone() || refreshing.getState() == Thread.State.WAITING);

    gate.countDown();
    load.join();
    refresh.join();
    Set<Long> unused = cache.refresh();

    assertThat(cache.get(a).state()).isEqualTo(Subscription.State.DISABLED);
  }

  @Test
  void whatIsKnownIsNotReadAgain() {
    List<Integer> loads = new CopyOnWriteArrayList<>();
    SubscriptionCache cache =
        new SubscriptionCache(TestSubscriptions.directory(dataSource, () -> loads.add(1)));

    cache.require(List.of(a, a));
    cache.require(List.of(a));
    cache.require(List.of());

    assertThat(loads).hasSize(1);
    cache.require(List.of(a, b));
    assertThat(loads).hasSize(2);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("nobody opened the gate");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
