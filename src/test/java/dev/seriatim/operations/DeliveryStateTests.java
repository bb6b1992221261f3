package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.subscription.Subscription;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryStateTests {

  @ParameterizedTest
  @CsvSource({
    // queued, held, due, dead, delivered, subscription, state
    "true,  false, true,  false, false, ENABLED,  QUEUED",
    "true,  false, false, false, false, ENABLED,  WAITING",
    "true,  true,  true,  false, false, ENABLED,  HELD",
    "true,  true,  false, false, false, ENABLED,  HELD",
    "true,  false, true,  false, false, DISABLED, HELD",
    "true,  false, false, false, false, DISABLED, HELD",
    "true,  true,  false, false, false, DISABLED, HELD",
    "true,  false, true,  false, false, DELETED,  CANCELLED",
    "true,  true,  true,  false, false, DELETED,  CANCELLED",
    "true,  false, true,  true,  true,  ENABLED,  QUEUED",
    "false, false, true,  true,  false, ENABLED,  DEAD",
    "false, false, true,  true,  false, DELETED,  DEAD",
    "false, false, true,  false, true,  ENABLED,  DELIVERED",
    "false, false, true,  false, true,  DELETED,  DELIVERED",
    "false, false, true,  false, false, ENABLED,  DELIVERED",
    "false, false, true,  false, false, DISABLED, DELIVERED",
    "false, false, true,  false, false, DELETED,  CANCELLED"
  })
  void followsFromWhatIsLeftOfTheDelivery(
      boolean queued,
      boolean held,
      boolean due,
      boolean dead,
      boolean delivered,
      Subscription.State subscription,
      DeliveryState state) {
    assertThat(DeliveryState.of(queued, held, due, dead, delivered, subscription)).isEqualTo(state);
  }
}
