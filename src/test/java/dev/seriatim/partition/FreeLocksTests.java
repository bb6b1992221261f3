package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreeLocksTests {

  private static final Duration GRACE = Duration.ofNanos(1000);

  private final FreeLocks locks = new FreeLocks();

  @Test
  void firstLookCountsFromItsEndAndTheSecondToItsBeginning() {
    assertThat(locks.note(List.of(free("a", 1)), 0, 10)).isEmpty();
    assertThat(locks.note(List.of(free("a", 1)), 1009, 5000)).isEmpty();

    assertThat(locks.note(List.of(free("a", 1)), 1010, 5000))
        .containsExactly(new FreeLocks.Dead("a", 1, GRACE));
  }

  @Test
  void lockThatIsHeldInBetweenStartsAnew() {
    assertThat(locks.note(List.of(free("a", 1)), 0, 0)).isEmpty();
    assertThat(locks.note(List.of(held("a", 1)), 500, 500)).isEmpty();
    assertThat(locks.note(List.of(free("a", 1)), 1000, 1000)).isEmpty();

    assertThat(locks.nextLook()).hasValue(2000);
  }

  @Test
  void anotherLockOfTheSamePodStartsAnew() {
    assertThat(locks.note(List.of(free("a", 1)), 0, 0)).isEmpty();

    assertThat(locks.note(List.of(free("a", 2)), 1000, 1000)).isEmpty();
  }

  /** During a rolling change of the setting pods have different ones; each trusts its own. */
  @Test
  void gracePeriodIsThatOfThePodThatIsLookedAt() {
    LeaseStore.Worker patient = new LeaseStore.Worker("b", true, 2L, GRACE.multipliedBy(3), true);
    assertThat(locks.note(List.of(free("a", 1), patient), 0, 0)).isEmpty();
    assertThat(locks.nextLook()).hasValue(1000);

    assertThat(locks.note(List.of(free("a", 1), patient), 1000, 1000))
        .extracting(FreeLocks.Dead::worker)
        .containsExactly("a");
    assertThat(locks.nextLook()).hasValue(3000);
    assertThat(locks.note(List.of(patient), 3000, 3000))
        .extracting(FreeLocks.Dead::worker)
        .containsExactly("b");
    assertThat(locks.nextLook()).isEmpty();
  }

  @Test
  void podWithoutALockIsNeverSuspected() {
    assertThat(locks.note(List.of(new LeaseStore.Worker("a", true, null, GRACE, false)), 0, 0))
        .isEmpty();
    assertThat(locks.nextLook()).isEmpty();
  }

  /** Nanoseconds have no beginning and may overflow. */
  @Test
  void timeMayOverflow() {
    long now = Long.MAX_VALUE - 10;
    assertThat(locks.note(List.of(free("a", 1)), now, now)).isEmpty();
    assertThat(locks.nextLook()).hasValue(now + 1000);

    assertThat(locks.note(List.of(free("a", 1)), now + 1000, now + 1000)).hasSize(1);
  }

  private static LeaseStore.Worker free(String name, long lock) {
    return new LeaseStore.Worker(name, true, lock, GRACE, true);
  }

  private static LeaseStore.Worker held(String name, long lock) {
    return new LeaseStore.Worker(name, true, lock, GRACE, false);
  }
}
