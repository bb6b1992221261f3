package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.delivery.FailurePolicy.Decision;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.EjectReason;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.RetryPolicy;
import dev.seriatim.subscription.RetryPolicy.Backoff;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import dev.seriatim.subscription.RetryPreset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailurePolicyTests {

  private static final Verdict.Failed FAILED =
      new Verdict.Failed(VerdictCode.SERVER_ERROR, 500, null);
  private static final RetryPolicy DEFAULTS =
      new RetryPolicy(8, Duration.ofSeconds(5), 4, Duration.ofHours(10), 0.2, Duration.ofDays(3));

  @Test
  void waitGrowsByTheMultiplierUpToTheMaximum() {
    assertThat(delay(DEFAULTS, 1, 0.5)).isEqualTo(Duration.ofSeconds(5));
    assertThat(delay(DEFAULTS, 2, 0.5)).isEqualTo(Duration.ofSeconds(20));
    assertThat(delay(DEFAULTS, 3, 0.5)).isEqualTo(Duration.ofSeconds(80));
    assertThat(delay(DEFAULTS, 7, 0.5)).isEqualTo(Duration.ofSeconds(20_480));
    assertThat(delay(patient(DEFAULTS), 8, 0.5)).isEqualTo(Duration.ofHours(10));
  }

  // Case I5: lanes that fail together do not come back together, at the maximum neither.
  @Test
  void jitterVariesTheWaitEitherWay() {
    assertThat(delay(DEFAULTS, 1, 0)).isEqualTo(Duration.ofSeconds(4));
    assertThat(delay(DEFAULTS, 1, 0.999_999)).isBetween(millis(5_999), millis(6_000));
    assertThat(delay(patient(DEFAULTS), 9, 0)).isEqualTo(Duration.ofHours(8));
    assertThat(delay(patient(DEFAULTS), 9, 0.999_999)).isGreaterThan(Duration.ofHours(11));
  }

  @Test
  void lastAttemptEjects() {
    assertThat(FailurePolicy.decide(DEFAULTS, 8, Duration.ZERO, FAILED, 0.5))
        .isEqualTo(new Decision.GiveUp(EjectReason.ATTEMPTS_EXHAUSTED));
    assertThat(FailurePolicy.decide(DEFAULTS, 9, Duration.ZERO, FAILED, 0.5))
        .isEqualTo(new Decision.GiveUp(EjectReason.ATTEMPTS_EXHAUSTED));
  }

  @Test
  void headThatFailsForTooLongEjects() {
    assertThat(FailurePolicy.decide(DEFAULTS, 2, Duration.ofDays(3), FAILED, 0.5))
        .isEqualTo(new Decision.GiveUp(EjectReason.TOO_OLD));
    assertThat(FailurePolicy.decide(DEFAULTS, 2, Duration.ofDays(3).minusNanos(1), FAILED, 0.5))
        .isInstanceOf(Decision.RetryIn.class);
  }

  @Test
  void nothingOverflows() {
    RetryPolicy wild =
        new RetryPolicy(
            Integer.MAX_VALUE,
            Duration.ofMillis(Long.MAX_VALUE),
            100,
            Duration.ofSeconds(Long.MAX_VALUE),
            1,
            Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(delay(wild, 10_000, 0.999)).isEqualTo(Duration.ofMillis(Long.MAX_VALUE));
    assertThat(delay(wild, Integer.MAX_VALUE - 1, 0)).isZero();
    assertThat(delay(patient(DEFAULTS), 10_000, 0.5)).isEqualTo(Duration.ofHours(10));
    RetryPolicy eager =
        new RetryPolicy(
            Integer.MAX_VALUE, Duration.ZERO, 100, Duration.ZERO, 1, Duration.ofDays(3));
    assertThat(delay(eager, 10_000, 0.7)).isZero();
  }

  @Test
  void hintNeverShortensAnOwnWaitThatIsLongerThanAnyHint() {
    RetryPolicy slow =
        new RetryPolicy(9, Duration.ofDays(2), 1, Duration.ofDays(2), 0, Duration.ofDays(30));
    Verdict.Failed hinted = new Verdict.Failed(VerdictCode.CLIENT_ERROR, 429, Duration.ofDays(9));
    assertThat(FailurePolicy.decide(slow, 1, Duration.ZERO, hinted, 0.5))
        .isEqualTo(new Decision.RetryIn(Duration.ofDays(2), false));
  }

  @Test
  void scheduleIsWaitedInItsOrderAndThenEjects() {
    RetryPolicy policy = scheduled(0, Duration.ofMinutes(5), Duration.ZERO, Duration.ofSeconds(7));

    assertThat(delay(policy, 1, 0.9)).isEqualTo(Duration.ofMinutes(5));
    assertThat(delay(policy, 2, 0.9)).isZero();
    assertThat(delay(policy, 3, 0.9)).isEqualTo(Duration.ofSeconds(7));
    assertThat(FailurePolicy.decide(policy, 4, Duration.ZERO, FAILED, 0.9))
        .isEqualTo(new Decision.GiveUp(EjectReason.ATTEMPTS_EXHAUSTED));
    assertThat(FailurePolicy.decide(policy, 1000, Duration.ZERO, FAILED, 0.9))
        .isEqualTo(new Decision.GiveUp(EjectReason.ATTEMPTS_EXHAUSTED));
  }

  @Test
  void scheduleIsVariedLengthenedAndCutOffLikeABackoff() {
    RetryPolicy policy = scheduled(0.5, Duration.ofSeconds(100), Duration.ofSeconds(200));
    Verdict.Failed hinted = new Verdict.Failed(VerdictCode.SERVER_ERROR, 503, Duration.ofHours(1));

    assertThat(delay(policy, 1, 0)).isEqualTo(Duration.ofSeconds(50));
    assertThat(delay(policy, 2, 0.75)).isEqualTo(Duration.ofSeconds(250));
    assertThat(FailurePolicy.decide(policy, 1, Duration.ZERO, hinted, 0))
        .isEqualTo(new Decision.RetryIn(Duration.ofHours(1), true));
    assertThat(FailurePolicy.decide(policy, 2, Duration.ofDays(3), FAILED, 0))
        .isEqualTo(new Decision.GiveUp(EjectReason.TOO_OLD));
  }

  /** Standard Webhooks 1.0.0, "Deliverability and reliability", the column "Time since start". */
  @Test
  void standardWebhooksPresetAttemptsWhenTheSpecificationDoes() {
    RetryPolicy policy =
        new RetryPolicy(RetryPreset.STANDARD_WEBHOOKS.schedule(), 0, DEFAULTS.maxAge());
    List<String> sinceStart = new ArrayList<>();
    Duration age = Duration.ZERO;
    while (FailurePolicy.decide(policy, 1 + sinceStart.size(), age, FAILED, 0.5)
        instanceof Decision.RetryIn(Duration delay, _)) {
      age = age.plus(delay);
      sinceStart.add(
          "%02d:%02d:%02d".formatted(age.toHours(), age.toMinutesPart(), age.toSecondsPart()));
    }

    assertThat(sinceStart)
        .containsExactly(
            "00:00:05",
            "00:05:05",
            "00:35:05",
            "02:35:05",
            "07:35:05",
            "17:35:05",
            "31:35:05",
            "51:35:05",
            "75:35:05");
  }

  @Test
  void samePolicyLeavesWhatWaitsAsItIs() {
    for (int attempts = 1; attempts < DEFAULTS.maxAttempts(); attempts++) {
      for (double random : new double[] {0, 0.5, 0.999_999}) {
        long due = delay(DEFAULTS, attempts, random).toNanos();
        assertThat(FailurePolicy.dueAt(DEFAULTS, waiting(attempts, due, 0L))).isEqualTo(due);
      }
    }
  }

  @Test
  void changedPolicyCountsFromTheSameFailure() {
    long failedAt = -5;
    long due = failedAt + Duration.ofHours(10).toNanos();
    RetryPolicy shorter = scheduled(0.5, Duration.ofSeconds(1), Duration.ofSeconds(8));

    assertThat(FailurePolicy.dueAt(shorter, waiting(2, due, failedAt)))
        .isEqualTo(failedAt + Duration.ofSeconds(12).toNanos());
    // More attempts than it knows of: as after its last wait.
    assertThat(FailurePolicy.dueAt(shorter, waiting(7, due, failedAt)))
        .isEqualTo(failedAt + Duration.ofSeconds(12).toNanos());
    assertThat(FailurePolicy.dueAt(scheduled(0, Duration.ofDays(7)), waiting(1, due, failedAt)))
        .isEqualTo(due);
    assertThat(FailurePolicy.dueAt(shorter, waiting(2, due, null)))
        .as("as the receiver asked")
        .isEqualTo(due);
  }

  private static Delivery waiting(int attempts, long dueAt, @Nullable Long failedAt) {
    return new Delivery(1, 1, 1, 1, 1, 1, attempts, dueAt, failedAt, failedAt, null, null);
  }

  private static RetryPolicy scheduled(double jitter, Duration... waits) {
    return new RetryPolicy(new Schedule(List.of(waits)), jitter, Duration.ofDays(3));
  }

  /** The same, with no end to its attempts. */
  private static RetryPolicy patient(RetryPolicy policy) {
    Backoff backoff = (Backoff) policy.waits();
    return new RetryPolicy(
        Integer.MAX_VALUE,
        backoff.initialDelay(),
        backoff.multiplier(),
        backoff.maxDelay(),
        policy.jitter(),
        policy.maxAge());
  }

  private static Duration delay(RetryPolicy policy, int attempts, double random) {
    Decision decision = FailurePolicy.decide(policy, attempts, Duration.ZERO, FAILED, random);
    assertThat(decision).isInstanceOf(Decision.RetryIn.class);
    return ((Decision.RetryIn) decision).delay();
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
