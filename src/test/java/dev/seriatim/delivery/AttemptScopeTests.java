package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SettableClock;
import dev.seriatim.partition.PartitionLease;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttemptScopeTests {

  private final AttemptScope scope =
      new AttemptScope(new PartitionLease(0, 1, UUID.randomUUID(), new SettableClock(), 0));

  @Test
  void stopLetsWhatIsUnderWayFinish() throws InterruptedException {
    scope.stop();

    assertThat(scope.stopping()).isTrue();
    assertThat(scope.abortedWithin(Duration.ZERO)).isFalse();
    scope.run(() -> assertThat(Thread.currentThread().isInterrupted()).isFalse());
  }

  @Test
  void abortInterruptsWhatIsUnderWay() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread attempt =
        Thread.ofVirtual()
            .start(
                () ->
                    scope.run(
                        () -> {
                          begun.countDown();
                          try {
                            new CountDownLatch(1).await();
                            interrupted.complete(false);
                          } catch (InterruptedException e) {
                            interrupted.complete(true);
                          }
                        }));
    begun.await();

    scope.abort();

    attempt.join();
    assertThat(interrupted.join()).isTrue();
    assertThat(scope.stopping()).isTrue();
  }

  @Test
  void attemptThatBeginsAfterTheAbortIsInterruptedAtOnce() throws InterruptedException {
    scope.abort();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

    Thread.ofVirtual()
        .start(() -> scope.run(() -> interrupted.complete(Thread.currentThread().isInterrupted())))
        .join();

    assertThat(interrupted.join()).isTrue();
  }

  /** Threads come back for other work: an abort must not reach them there. */
  @Test
  void attemptThatIsOverIsOutOfReach() {
    scope.run(() -> {});

    scope.abort();

    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void abortEndsTheWaitForTheDatabase() throws Exception {
    CompletableFuture<Boolean> aborted = new CompletableFuture<>();
    Thread waiting =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    aborted.complete(scope.abortedWithin(Duration.ofMinutes(5)));
                  } catch (InterruptedException e) {
                    aborted.completeExceptionally(e);
                  }
                });

    scope.abort();

    waiting.join();
    assertThat(aborted.join()).isTrue();
  }

  @Test
  void abortedScopeIsQuietOnceNothingIsUnderWay() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    Thread one = attempt(begun, first);
    Thread other = attempt(begun, second);
    begun.await();

    scope.abort();
    assertThat(scope.aborted()).isTrue();
    assertThat(scope.quiet()).isNotDone();
    first.countDown();
    one.join();
    assertThat(scope.quiet()).isNotDone();
    second.countDown();
    other.join();

    assertThat(scope.quiet()).isDone();
  }

  @Test
  void scopeIsQuietAtOnceWhenNothingIsUnderWay() {
    scope.run(() -> {});
    assertThat(scope.quiet()).as("more may come").isNotDone();

    scope.abort();

    assertThat(scope.quiet()).isDone();
  }

  /** One that is recording its verdict and takes no notice of interrupts for a while. */
  private Thread attempt(CountDownLatch begun, CountDownLatch end) {
    return Thread.ofVirtual()
        .start(
            () ->
                scope.run(
                    () -> {
                      begun.countDown();
                      boolean ended = false;
                      while (!ended) {
                        try {
                          end.await();
                          ended = true;
                        } catch (InterruptedException e) {
                          assertThat(scope.aborted()).isTrue();
                        }
                      }
                    }));
  }
}
