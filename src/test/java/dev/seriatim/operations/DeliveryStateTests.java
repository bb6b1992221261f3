package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.subscription.Subscription;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryStateTests {

  @ParameterizedTest
  @CsvSource({
    // queued, due, dead, delivered, subscription, state
    "true,  true,  false, false, ENABLED,  QUEUED",
    "true,  false, false, false, ENABLED,  WAITING",
    "true,  true,  false, false, DISABLED, HELD",
    "true,  false, false, false, DISABLED, HELD",
    "true,  true,  false, false, DELETED,  CANCELLED",
    "true,  true,  true,  true,  ENABLED,  QUEUED",
    "false, true,  true,  false, ENABLED,  DEAD",
    "false, true,  true,  false, DELETED,  DEAD",
    "false, true,  false, true,  ENABLED,  DELIVERED",
    "false, true,  false, true,  DELETED,  DELIVERED",
    "false, true,  false, false, ENABLED,  DELIVERED",
    "false, true,  false, false, DISABLED, DELIVERED",
    "false, true,  false, false, DELETED,  CANCELLED"
  })
  void followsFromWhatIsLeftOfTheDelivery(
      boolean queued,
      boolean due,
      boolean dead,
      boolean delivered,
      Subscription.State subscription,
      DeliveryState state) {
    assertThat(DeliveryState.of(queued, due, dead, delivered, subscription)).isEqualTo(state);
  }
}
