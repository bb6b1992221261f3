package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.DataAccessResourceFailureException;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupCommitTests {

  /**
   * Work that notes its batches, and does not begin one until it is let. Items weigh themselves.
   */
  private static final class GatedWork implements GroupCommit.Work<Integer, String> {

    final List<List<Integer>> batches = Collections.synchronizedList(new ArrayList<>());
    final Semaphore begun = new Semaphore(0);
    final Semaphore gate = new Semaphore(0);
    volatile Set<Integer> bad = Set.of();
    volatile RuntimeException outage;
    volatile Error error;

    @Override
    public List<String> run(List<Integer> items) {
      batches.add(List.copyOf(items));
      begun.release();
      gate.acquireUninterruptibly();
      if (error != null) {
        Error now = error;
        error = null;
        throw now;
      }
      if (outage != null) {
        throw outage;
      }
      if (items.stream().anyMatch(bad::contains)) {
        throw new IllegalArgumentException("bad among " + items);
      }
      return items.stream().map(item -> "r" + item).toList();
    }
  }

  private final GatedWork work = new GatedWork();
  private GroupCommit<Integer, String> commits = commits(100, 1000, waiting -> 0);

  @AfterEach
  void close() {
    work.gate.release(1_000_000);
    commits.close();
  }

  @Test
  void loneItemIsNotWaitedWith() throws Exception {
    work.gate.release();

    assertThat(get(commits.submit(1))).isEqualTo("r1");
    assertThat(work.batches).containsExactly(List.of(1));
  }

  @Test
  void batchGathersWhileOneIsUnderWay() throws Exception {
    CompletableFuture<String> first = commits.submit(1);
    work.begun.acquire();
    List<CompletableFuture<String>> others = submit(2, 3, 4);
    assertThat(first).isNotDone();

    work.gate.release();
    work.begun.acquire();

    assertThat(get(first)).isEqualTo("r1");
    assertThat(others).noneMatch(CompletableFuture::isDone);
    work.gate.release();
    assertThat(get(others)).containsExactly("r2", "r3", "r4");
    assertThat(work.batches).containsExactly(List.of(1), List.of(2, 3, 4));
  }

  @Test
  void batchIsFullByWeightAndOrderIsKept() throws Exception {
    List<CompletableFuture<String>> all = behindABusyBatch(60, 40, 1, 99, 2);
    work.gate.release(100);

    assertThat(get(all)).containsExactly("r60", "r40", "r1", "r99", "r2");
    assertThat(work.batches)
        .containsExactly(List.of(7), List.of(60, 40), List.of(1, 99), List.of(2));
  }

  @Test
  void itemHeavierThanABatchIsOneOfItsOwn() throws Exception {
    List<CompletableFuture<String>> all = behindABusyBatch(1, 150, 2);
    work.gate.release(100);

    assertThat(get(all)).containsExactly("r1", "r150", "r2");
    assertThat(work.batches).containsExactly(List.of(7), List.of(1), List.of(150), List.of(2));
  }

  @Test
  void badItemFailsAlone() throws Exception {
    work.bad = Set.of(2);
    List<CompletableFuture<String>> all = behindABusyBatch(1, 2, 3);
    work.gate.release(100);

    assertThat(get(all.get(0))).isEqualTo("r1");
    assertThat(get(all.get(2))).isEqualTo("r3");
    assertThatThrownBy(() -> Waits.join(all.get(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bad among [2]");
    assertThat(work.batches)
        .containsExactly(List.of(7), List.of(1, 2, 3), List.of(1), List.of(2), List.of(3));
  }

  @Test
  void outageFailsAllAtOnce() throws Exception {
    List<CompletableFuture<String>> all = behindABusyBatch(1, 2, 3);
    work.gate.release();
    work.begun.acquire();
    work.outage = new DataAccessResourceFailureException("away");
    work.gate.release();

    assertThat(all)
        .allSatisfy(one -> assertThatThrownBy(() -> Waits.join(one)).isSameAs(work.outage));
    assertThat(work.batches).containsExactly(List.of(7), List.of(1, 2, 3));
  }

  /** Each try might wait for the connection timeout: five hundred of them would take minutes. */
  @Test
  void outageAmongSingleItemsFailsTheRestAtOnce() throws Exception {
    work.bad = Set.of(1);
    List<CompletableFuture<String>> all = behindABusyBatch(1, 2, 3, 4);
    work.gate.release(2); // what is busy, and the batch with the bad one in it
    await().until(() -> work.batches.size() == 3);
    work.bad = Set.of();
    work.outage = new DataAccessResourceFailureException("away");
    work.gate.release(100);

    assertThat(all)
        .allSatisfy(one -> assertThatThrownBy(() -> Waits.join(one)).isSameAs(work.outage));
    assertThat(work.batches).containsExactly(List.of(7), List.of(1, 2, 3, 4), List.of(1));
  }

  @Test
  void tooMuchWaitingIsRefusedAndNotCounted() throws Exception {
    commits.close();
    commits = commits(100, 10, waiting -> 0);
    List<CompletableFuture<String>> all = behindABusyBatch(6, 4);

    assertThatThrownBy(() -> commits.submit(1))
        .isInstanceOf(TooManyWaitingException.class)
        .hasMessageContaining("more than 10 events");

    work.gate.release();
    work.begun.acquire(); // 6 and 4 are under way and no longer wait
    CompletableFuture<String> later = commits.submit(10);
    work.gate.release(100);
    assertThat(get(all)).containsExactly("r6", "r4");
    assertThat(get(later)).isEqualTo("r10");
  }

  @Test
  void requestHeavierThanWhatMayWaitIsTakenWhenNothingWaits() throws Exception {
    commits.close();
    commits = commits(5, 10, waiting -> 0);
    work.gate.release();

    assertThat(get(commits.submit(11))).isEqualTo("r11");
  }

  @Test
  void closeFinishesWhatWaitsAndTakesNoMore() throws Exception {
    List<CompletableFuture<String>> all = behindABusyBatch(1, 99, 2);
    Thread closing = Thread.ofVirtual().start(commits::close);
    await().until(() -> refuses(commits));
    assertThat(closing.isAlive()).isTrue();

    work.gate.release(100);

    closing.join();
    assertThat(all).allMatch(CompletableFuture::isDone);
    assertThat(get(all)).containsExactly("r1", "r99", "r2");
  }

  /** An Error, such as too little memory for one batch, is told to those whose batch it was. */
  @Test
  void errorFailsItsBatchAndNoOther() throws Exception {
    List<CompletableFuture<String>> all = behindABusyBatch(1, 2);
    work.gate.release();
    work.begun.acquire();
    CompletableFuture<String> next = commits.submit(3);
    Error error = new OutOfMemoryError("for a test");
    work.error = error;
    work.gate.release(100);

    for (CompletableFuture<String> one : all) {
      assertThatThrownBy(() -> get(one)).hasCause(error);
    }
    assertThat(get(next)).isEqualTo("r3");
    assertThat(get(commits.submit(4))).isEqualTo("r4");
    assertThat(work.batches).containsExactly(List.of(7), List.of(1, 2), List.of(3), List.of(4));
  }

  @Test
  void gathersAsLongAsItIsToldUntilTheBatchIsFull() throws Exception {
    commits.close();
    commits = commits(3, 1000, waiting -> Duration.ofHours(1).toNanos());
    work.gate.release(100);
    CompletableFuture<String> first = commits.submit(1);
    assertThat(first).isNotDone();

    CompletableFuture<String> second = commits.submit(2);

    assertThat(get(first)).isEqualTo("r1");
    assertThat(get(second)).isEqualTo("r2");
    assertThat(work.batches).containsExactly(List.of(1, 2));
  }

  @Test
  void manySubmittersGetTheirOwnResultsAndAllAreDoneOnce() throws Exception {
    commits.close();
    commits = commits(100, Integer.MAX_VALUE, waiting -> 0);
    work.gate.release(1_000_000);
    int threads = 4;
    int each = 5_000;
    List<Thread> submitters = new ArrayList<>();
    List<String> wrong = new CopyOnWriteArrayList<>();
    for (int t = 0; t < threads; t++) {
      submitters.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    // All at once and only then their results: the more there is to collide with.
                    List<CompletableFuture<String>> results = new ArrayList<>();
                    for (int i = 0; i < each; i++) {
                      results.add(commits.submit(1 + i % 50));
                    }
                    for (int i = 0; i < each; i++) {
                      String result = Waits.join(results.get(i));
                      if (!result.equals("r" + (1 + i % 50))) {
                        wrong.add(i + " got " + result);
                      }
                    }
                  }));
    }
    for (Thread submitter : submitters) {
      submitter.join();
    }

    assertThat(wrong).isEmpty();
    assertThat(work.batches.stream().mapToInt(List::size).sum()).isEqualTo(threads * each);
    assertThat(work.batches)
        .allSatisfy(
            batch ->
                assertThat(batch.stream().mapToInt(Integer::intValue).sum())
                    .isLessThanOrEqualTo(100));
  }

  /** Submits 7, waits until it is under way, and then the items. */
  private List<CompletableFuture<String>> behindABusyBatch(int... items) throws Exception {
    CompletableFuture<String> busy = commits.submit(7);
    work.begun.acquire();
    assertThat(busy).isNotDone();
    return submit(items);
  }

  private List<CompletableFuture<String>> submit(int... items) {
    return IntStream.of(items).mapToObj(commits::submit).toList();
  }

  private static boolean refuses(GroupCommit<Integer, String> commits) {
    try {
      CompletableFuture<String> unused = commits.submit(1000);
      return false;
    } catch (TooManyWaitingException e) {
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private GroupCommit<Integer, String> commits(
      int maxBatch, int maxWaiting, ToLongFunction<Integer> gather) {
    return new GroupCommit<>("test", work, item -> item, maxBatch, maxWaiting, Outage::is, gather);
  }

  private static String get(CompletableFuture<String> result)
      throws InterruptedException, ExecutionException {
    try {
      return result.get(30, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no result within 30 seconds", e);
    }
  }

  private static List<String> get(List<CompletableFuture<String>> results) throws Exception {
    List<String> all = new ArrayList<>();
    for (CompletableFuture<String> result : results) {
      all.add(get(result));
    }
    return all;
  }
}
