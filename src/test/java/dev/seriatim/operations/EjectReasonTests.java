package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EjectReasonTests {

  /** Those belong to the package delivery alone; here is what can be asked for. */
  @Test
  void reasonsAreThoseThatDeliveriesAreGivenUpFor() throws ClassNotFoundException {
    Object[] written =
        Class.forName("dev.seriatim.delivery.FailurePolicy$Reason").getEnumConstants();

    assertThat(EjectReason.values())
        .extracting(EjectReason::name)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(written).map(reason -> ((Enum<?>) reason).name()).toList());
  }
}
