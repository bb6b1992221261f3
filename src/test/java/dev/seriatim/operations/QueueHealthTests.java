package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class QueueHealthTests {

  private static final HealthSettings SETTINGS =
      new HealthSettings(Duration.ofMinutes(1), Duration.ofMinutes(1));

  @Test
  void headThatFailsForAMinuteIsStalledHoweverShallowItsPartition() {
    assertThat(status(Lags.aged(0, 1, 60.0, 59.9))).isEqualTo(Status.UP);
    Health red = health(Lags.aged(0, 0, null, null), Lags.aged(1, 1, 60.0, 60.0));
    assertThat(red.getStatus()).isEqualTo(QueueHealthIndicator.STALLED);
    assertThat(red.getDetails()).containsEntry("stalled", List.of(1));
  }

  @Test
  void deepPartitionThatDrainsIsWell() {
    assertThat(status(Lags.aged(0, 1_000_000, 7_200.0, null))).isEqualTo(Status.UP);
    assertThat(status(Lags.aged(0, 1_000_000, 7_200.0, 5.0))).isEqualTo(Status.UP);
  }

  @Test
  void partitionWithoutOwnerIsWellForAsLongAsAHandOverTakes() {
    assertThat(status(Lags.unowned(0, 59.0))).isEqualTo(Status.UP);
    assertThat(status(Lags.unowned(0, null))).isEqualTo(Status.UP);
    assertThat(status(Lags.unowned(0, 60.0))).isEqualTo(QueueHealthIndicator.UNOWNED);
  }

  @Test
  void worstIsTheStatusAndAllAreNamed() {
    Health health = health(Lags.paused(0), Lags.aged(1, 1, 90.0, 90.0), Lags.unowned(2, 90.0));
    assertThat(health.getStatus()).isEqualTo(QueueHealthIndicator.UNOWNED);
    assertThat(health.getDetails())
        .containsEntry("paused", List.of(0))
        .containsEntry("stalled", List.of(1))
        .containsEntry("unowned", List.of(2));
    assertThat(status(Lags.paused(0))).isEqualTo(QueueHealthIndicator.PAUSED);
  }

  @Test
  void limitsMustBePositive() {
    assertThatThrownBy(() -> new HealthSettings(Duration.ZERO, Duration.ofMinutes(1)))
        .hasMessageContaining("seriatim.health.stalled-after (PT0S)");
  }

  private static Status status(PartitionLag.Partition... partitions) {
    return health(partitions).getStatus();
  }

  private static Health health(PartitionLag.Partition... partitions) {
    return QueueHealthIndicator.of(Lags.of(partitions), SETTINGS);
  }
}
