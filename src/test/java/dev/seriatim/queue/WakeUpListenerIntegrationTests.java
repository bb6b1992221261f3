package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.FreePartitions;
import dev.seriatim.partition.OwnConnections;
import dev.seriatim.scenario.PgBouncer;
import dev.seriatim.subscription.OrderingScope;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(OutputCaptureExtension.class)
class WakeUpListenerIntegrationTests {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** No question is asked while a test runs. */
  private static final Duration NEVER = Duration.ofDays(1);

  private static final String OF_THE_LISTENER =
      "from pg_stat_activity where datname = current_database() and application_name = 'seriatim-wake-ups'";

  private final TestDatabase database = TestDatabase.create();
  private final Pod other = new Pod(database);
  private final List<Set<Integer>> told = new CopyOnWriteArrayList<>();
  private final WakeUpSender sender = new WakeUpSender(told::add);
  private final WakeUps wakeUps = new WakeUps(sender);
  private final AtomicInteger freed = new AtomicInteger();
  private final Set<Integer> heard = ConcurrentHashMap.newKeySet();

  /** One for each connection that may be opened. */
  private final Semaphore permits = new Semaphore(1000);

  /** Of pods that other tests share. */
  private final Set<Thread> strangers = listening().collect(Collectors.toSet());

  private String url = database.url();
  private WakeUpListener listener;

  WakeUpListenerIntegrationTests() {
    wakeUps.listen(heard::add);
  }

  @AfterEach
  void close() {
    permits.release(1000);
    if (listener != null) {
      listener.stop();
    }
    sender.close();
    other.close();
    database.close();
  }

  @Test
  void whatAnotherPodPublishesIsHeard() {
    other.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
    start(NEVER);
    awaitScan();

    other.publisher.publish(List.of(Pod.event("acme", "e1", "k")));

    awaitHeard(other.partition("orders"));
    assertThat(heard).hasSize(1);
  }

  @Test
  void mostPartitionsThatThereCanBeAreHeard() {
    start(NEVER);
    awaitScan();

    new WakeUpChannel(other.jdbc).tell(IntStream.range(0, 4096).boxed().toList());

    await().atMost(PATIENCE).until(() -> heard.size() == 4096);
  }

  @Test
  void partitionsThatAnotherPodGivesBackAreHeardOf() {
    start(NEVER);
    awaitScan();

    new WakeUpChannel(other.jdbc).tell(Set.of(WakeUpPayload.FREE));

    await().atMost(PATIENCE).until(() -> freed.get() == 1);
    assertThat(heard).isEmpty();
  }

  @Test
  void strangersMayNotifyWhateverTheyLike() {
    start(NEVER);
    awaitScan();

    for (String payload : List.of("", "hello", "99999999999", "-1,,x")) {
      other.jdbc.sql("select pg_notify('seriatim_wake_up', ?)").param(payload).query(row -> {});
    }
    tell(3);

    awaitHeard(3);
    assertThat(heard).hasSize(1);
  }

  /** Case W9. */
  @Test
  void whatWasSaidWhileNobodyListenedIsMadeUpForByWakingAll(CapturedOutput log) {
    permits.drainPermits();
    permits.release(1);
    start(NEVER);
    awaitScan();

    assertThat(terminate()).isOne();
    await().atMost(PATIENCE).until(permits::hasQueuedThreads);
    tell(3);
    assertThat(heard).isEmpty();
    permits.release(1);

    awaitScan();
    tell(5);
    awaitHeard(5);
    assertThat(lines(log, "has no connection to the database; trying again")).isOne();
    assertThat(lines(log, "has its connection again")).isOne();
  }

  @Test
  void databaseThatIsAwayIsTriedAgainAndReportedOnce(CapturedOutput log) {
    url = "jdbc:postgresql://localhost:1/nobody";
    permits.drainPermits();
    permits.release(2);
    start(NEVER);
    await().atMost(PATIENCE).until(permits::hasQueuedThreads);
    assertThat(lines(log, "trying again")).isOne();
    assertThat(lines(log, "again")).isOne();

    url = database.url();
    permits.release(1);

    awaitScan();
    assertThat(lines(log, "has its connection again")).isOne();
  }

  @Test
  void connectionThatWentSilentIsNoticed() throws Exception {
    try (SilentWay way = new SilentWay(database.url())) {
      url = way.url();
      start(Duration.ofMillis(200));
      awaitScan();

      way.fallSilent();

      // The socket's time limit, 5 s, after a silence of 200 ms; then the connection is a new one.
      awaitScan();
      tell(3);
      awaitHeard(3);
    }
  }

  @Test
  void idleListenerAsksNothingButWhetherItsConnectionLives() {
    start(NEVER);
    awaitScan();
    String listening = activity("query_start");
    for (int partition = 0; partition < 3; partition++) {
      tell(partition);
      awaitHeard(partition);
    }
    assertThat(activity("query_start")).isEqualTo(listening);
    assertThat(activity("query")).endsWith("listen " + WakeUpChannel.NAME);
    listener.stop();

    start(Duration.ofMillis(50));
    awaitScan();
    String asked = activity("query_start");
    await().atMost(PATIENCE).until(() -> !activity("query_start").equals(asked));
    assertThat(activity("query")).as("the empty question").isEmpty();
  }

  /** Case W6, for this connection. */
  @Test
  void timeoutsOfTheDatabaseDoNotEndTheWait() {
    for (String setting :
        List.of(
            "idle_session_timeout", "idle_in_transaction_session_timeout", "statement_timeout")) {
      other.jdbc.sql("alter database %s set %s = '200ms'".formatted(name(), setting)).update();
    }
    start(NEVER);
    awaitScan();

    await()
        .atMost(PATIENCE)
        .until(() -> activity("clock_timestamp() - state_change > '1s'").equals("true"));

    tell(3);
    awaitHeard(3);
  }

  @Test
  void stopEndsTheConnectionAndStartMakesANewOne() {
    start(NEVER);
    awaitScan();
    assertThat(listener.isRunning()).isTrue();

    listener.stop();

    assertThat(listener.isRunning()).isFalse();
    await().atMost(PATIENCE).until(() -> sessions() == 0);
    listener.stop();
    listener.start();
    awaitScan();
    assertThat(sessions()).isOne();
  }

  @Test
  void stopDuringAnAttemptLeavesNoConnection(CapturedOutput log) {
    permits.drainPermits();
    start(NEVER);
    await().atMost(PATIENCE).until(permits::hasQueuedThreads);

    CompletableFuture.runAsync(listener::stop, task -> Thread.ofVirtual().start(task))
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
    permits.release(1);

    await().atMost(PATIENCE).until(() -> threads() == 0);
    assertThat(sessions()).isZero();
    assertThat(heard).isEmpty();
    assertThat(lines(log, "trying again")).isZero();
  }

  /** Case W11: it neither listens nor sends, and says so once. */
  @Test
  void behindATransactionPoolerItSaysSoAndLeavesIt(CapturedOutput log) {
    try (PgBouncer pooler = PgBouncer.startOrSkip(database)) {
      url = pooler.url();
      start(Duration.ofMillis(50));

      await().atMost(PATIENCE).until(() -> threads() == 0);
      sender.send(Set.of(1));
      sender.close();

      assertThat(lines(log, "Wake-ups between pods are off")).isOne();
      assertThat(permits.availablePermits()).as("one connection was tried").isEqualTo(999);
      assertThat(heard).isEmpty();
      assertThat(told).isEmpty();
      assertThat(lines(log, "trying again")).isZero();
    }
  }

  private void start(Duration silence) {
    listener =
        new WakeUpListener(
            () -> {
              permits.acquireUninterruptibly();
              return new OwnConnections(url, database.username(), database.password())
                  .as("wake-ups")
                  .open();
            },
            wakeUps,
            sender,
            freePartitions(),
            Pod.PARTITIONS,
            silence);
    listener.start();
  }

  /** Waits until all partitions were woken, and begins anew. */
  private void awaitScan() {
    await().atMost(PATIENCE).until(() -> heard.size() == Pod.PARTITIONS);
    heard.clear();
  }

  private void awaitHeard(int partition) {
    await().atMost(PATIENCE).until(() -> heard.contains(partition));
  }

  private void tell(int partition) {
    new WakeUpChannel(other.jdbc).tell(Set.of(partition));
  }

  private int terminate() {
    return other
        .jdbc
        .sql("select pg_terminate_backend(pid, 10000) " + OF_THE_LISTENER)
        .query(Boolean.class)
        .list()
        .size();
  }

  private long sessions() {
    return other.jdbc.sql("select count(*) " + OF_THE_LISTENER).query(Long.class).single();
  }

  private String activity(String column) {
    return other
        .jdbc
        .sql("select (%s)::text %s".formatted(column, OF_THE_LISTENER))
        .query(String.class)
        .single()
        .strip();
  }

  private String name() {
    return other.jdbc.sql("select current_database()").query(String.class).single();
  }

  /** Threads of this test's listeners that have not ended. */
  private long threads() {
    return listening().filter(thread -> !strangers.contains(thread)).count();
  }

  private static Stream<Thread> listening() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("wake-up-listener"));
  }

  private static long lines(CapturedOutput log, String part) {
    return log.toString()
        .lines()
        .filter(line -> line.contains("WakeUpListener") && line.contains(part))
        .count();
  }

  private FreePartitions freePartitions() {
    return new FreePartitions() {
      @Override
      public void look() {
        freed.incrementAndGet();
      }

      @Override
      public void onFreed(Runnable listener) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
