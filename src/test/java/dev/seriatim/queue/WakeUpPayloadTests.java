package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WakeUpPayloadTests {

  @Test
  void partitionsAreSeparatedByCommas() {
    assertThat(WakeUpPayload.of(List.of(0, 7, 4095))).containsExactly("0,7,4095");
    assertThat(WakeUpPayload.of(List.of(7))).containsExactly("7");
    assertThat(WakeUpPayload.of(List.of())).isEmpty();
  }

  @Test
  void moreThanOneNotificationHoldsIsCutBetweenNumbers() {
    List<Integer> all = IntStream.range(0, 4096).boxed().toList();

    List<String> payloads = WakeUpPayload.of(all);

    assertThat(payloads).hasSize(3);
    assertThat(payloads)
        .allSatisfy(payload -> assertThat(payload.length()).isBetween(1, WakeUpPayload.MAX_BYTES));
    assertThat(payloads.stream().flatMap(payload -> WakeUpPayload.read(payload).stream()))
        .containsExactlyElementsOf(all);
  }

  @Test
  void largestPayloadIsUsedToTheLastByte() {
    // 1,600 numbers of four digits and their commas are one byte less than 8000.
    List<Integer> full = IntStream.range(1000, 2600).boxed().toList();
    assertThat(WakeUpPayload.of(full)).singleElement().asString().hasSize(7999);
    assertThat(WakeUpPayload.of(IntStream.range(1000, 2601).boxed().toList()))
        .last()
        .isEqualTo("2600");
  }

  @Test
  void whatIsNotANumberIsLeftOut() {
    assertThat(WakeUpPayload.read("")).isEmpty();
    assertThat(WakeUpPayload.read("hello, world")).isEmpty();
    assertThat(WakeUpPayload.read("1,,x,-3, 3,4.0,99999999999999999999,5")).containsExactly(1, 5);
  }
}
