package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SettableClock;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Exchange;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
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

  @Test
  void breakingOffInterruptsRequestsButNotWhatIsBeingRecorded() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch answered = new CountDownLatch(1);
    CompletableFuture<String> request = new CompletableFuture<>();
    CompletableFuture<String> record = new CompletableFuture<>();
    Thread sending =
        attempt(() -> scope.sending(permit -> waiting(begun, new CountDownLatch(1))), request);
    Thread recording =
        attempt(
            () -> {
              scope.sending(permit -> null);
              return waiting(begun, answered);
            },
            record);
    begun.await();

    scope.breakOff();

    sending.join();
    assertThat(request).isCompletedWithValue("interrupted");
    answered.countDown();
    recording.join();
    assertThat(record).isCompletedWithValue("done");
    assertThat(scope.stopping()).isFalse();
  }

  /** The answer is there; it is recorded, or the receiver would get the request again. */
  @Test
  void interruptThatComesTooLateForTheRequestDoesNotReachTheRecording() throws Exception {
    CompletableFuture<String> outcome = new CompletableFuture<>();
    Thread attempt =
        attempt(
            () -> {
              scope.sending(
                  permit -> {
                    scope.breakOff(); // meets a request that ends without noticing
                    return null;
                  });
              return Thread.currentThread().isInterrupted() ? "interrupted" : "done";
            },
            outcome);

    attempt.join();

    assertThat(outcome).isCompletedWithValue("done");
  }

  @Test
  void abortDuringARequestStillReachesTheRecording() throws Exception {
    CompletableFuture<String> outcome = new CompletableFuture<>();
    Thread attempt =
        attempt(
            () -> {
              scope.sending(
                  permit -> {
                    scope.abort();
                    return null;
                  });
              return Thread.currentThread().isInterrupted() ? "interrupted" : "done";
            },
            outcome);

    attempt.join();

    assertThat(outcome).isCompletedWithValue("interrupted");
  }

  private Thread attempt(Callable<Object> work, CompletableFuture<String> outcome) {
    return Thread.ofVirtual()
        .start(
            () ->
                scope.run(
                    () -> {
                      try {
                        Object result = work.call();
                        outcome.complete(result == null ? "done" : result.toString());
                      } catch (InterruptedException e) {
                        outcome.complete("interrupted");
                      } catch (Exception e) {
                        outcome.completeExceptionally(e);
                      }
                    }));
  }

  private static Exchange waiting(CountDownLatch begun, CountDownLatch until)
      throws InterruptedException {
    begun.countDown();
    until.await();
    return null;
  }
}
