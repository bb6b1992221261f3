package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class NewEventTests {

  private static final NewEvent EVENT = event("order.paid", "order_7", "application/json", "{}");

  @Test
  void sameContentHasTheSameFingerprint() {
    NewEvent again = event("order.paid", "order_7", "application/json", "{}");

    assertThat(again.fingerprint()).isEqualTo(EVENT.fingerprint()).hasSize(32);
  }

  @Test
  void tenantAndIdAreNotPartOfTheFingerprint() {
    NewEvent other =
        new NewEvent("b", "2", "order.paid", "order_7", "application/json", bytes("{}"));

    assertThat(other.fingerprint()).isEqualTo(EVENT.fingerprint());
  }

  /** It is stored: an event must be known again by every later version. */
  @Test
  void fingerprintNeverChanges() {
    assertThat(HexFormat.of().formatHex(EVENT.fingerprint()))
        .isEqualTo("30a41ecd29ae513e442742db6530e71527dc5bce1a7f3a3768dc7a2671175f30");
    assertThat(
            HexFormat.of()
                .formatHex(event("t", null, "text/plain; charset=utf-8", "Zo\u00eb").fingerprint()))
        .isEqualTo("416903a8ca3ee06533e759a539c4d267aebb9d3c07e69460b37a14e9c9e8cc96");
  }

  @Test
  void everyPartCountsAndNoTwoPartsRunTogether() {
    List<NewEvent> different =
        List.of(
            EVENT,
            event("order.paid", "order_7", "application/json", "{} "),
            event("order.paid", "order_7", "application/json", ""),
            event("order.paid", "order_7", "text/plain", "{}"),
            event("order.paid", "order_8", "application/json", "{}"),
            event("order.paid", "", "application/json", "{}"),
            event("order.paid", null, "application/json", "{}"),
            event("order.pai", "dorder_7", "application/json", "{}"),
            event("order.paid", "order_7a", "pplication/json", "{}"),
            event("order.paid", "order_7", "application/json{", "}"));

    assertThat(different)
        .extracting(event -> HexFormat.of().formatHex(event.fingerprint()))
        .doesNotHaveDuplicates();
  }

  private static NewEvent event(String type, String resource, String contentType, String payload) {
    return new NewEvent("a", "1", type, resource, contentType, bytes(payload));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
