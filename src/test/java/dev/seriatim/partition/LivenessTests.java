package dev.seriatim.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SettableClock;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LivenessTests {

  private final SettableClock clock = new SettableClock();
  private final Liveness liveness = new Liveness(clock, Duration.ofSeconds(4));

  @Test
  void podWithoutALockLivesAsLongAsItsLeases() {
    clock.advance(Duration.ofHours(1));

    assertThat(liveness.trusted()).isTrue();
  }

  /** The last quarter of the grace is for ending what is under way. */
  @Test
  void signOfLifeCountsForThreeQuartersOfTheGrace() {
    long contact = clock.nanos();
    clock.advance(Duration.ofSeconds(1));
    liveness.confirmed(contact);

    clock.advance(Duration.ofSeconds(2).minusNanos(1));
    assertThat(liveness.trusted()).isTrue();
    clock.advance(Duration.ofNanos(1));
    assertThat(liveness.trusted()).isFalse();

    liveness.confirmed(clock.nanos());
    assertThat(liveness.trusted()).isTrue();
  }

  @Test
  void lockThatIsGivenUpIsNotWatchedAnyMore() {
    liveness.confirmed(clock.nanos());
    clock.advance(Duration.ofSeconds(5));
    assertThat(liveness.trusted()).isFalse();

    liveness.unguarded();

    assertThat(liveness.trusted()).isTrue();
  }

  /** A process that was paused starts nothing before it has asked the database. */
  @Test
  void noLeaseIsTrustedWhileOthersMayHaveTakenThePodForDead() {
    liveness.confirmed(clock.nanos());
    PartitionLease lease =
        new PartitionLease(
            0,
            1,
            UUID.randomUUID(),
            clock,
            clock.nanos() + Duration.ofSeconds(28).toNanos(),
            liveness::trusted);
    assertThat(lease.outlives(Duration.ofSeconds(15))).isTrue();

    clock.advance(Duration.ofSeconds(3));

    assertThat(lease.outlives(Duration.ofSeconds(15))).isFalse();
    assertThat(lease.trusted()).isFalse();
    liveness.confirmed(clock.nanos());
    assertThat(lease.outlives(Duration.ofSeconds(15))).isTrue();
  }
}
