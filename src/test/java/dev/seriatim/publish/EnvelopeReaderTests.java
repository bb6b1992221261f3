package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.NewEvent;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeReaderTests {

  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  private final EnvelopeReader reader =
      new EnvelopeReader(new EventNames(Clock.fixed(NOW, ZoneOffset.UTC), new Random(1)));

  // H1
  static List<String> payloads() {
    return List.of(
        "{\"zebra\":1,\"alpha\":2}",
        "{\"a\":1,\"a\":2,\"a\":1}",
        "{\"n\":1234567890123456789012345}",
        "1234567890123456789012345",
        "9".repeat(20_000),
        "0." + "1".repeat(20_000),
        "1.0",
        "-0.0",
        "-0",
        "1e400",
        "1E+2",
        "[1.0,1.00,1e-400]",
        "\"\\u0000\"",
        "{\"\\u0000\":\"\\u0000\"}",
        "\"\\ud800\"",
        "\"\\udc00 and \\ud800\"",
        "{\"\\ud800\":{\"x\\udc00\":1,\"\\ud800\\ud800\":2}}",
        "\"\\uD83D\\uDE00 \\/ \\u0041\"",
        "\"\uFEFFmark\"",
        "{ \"a\" :\t[ 1 ,\r\n 2 ] }",
        "{\n}",
        "[]",
        "\"\"",
        "\"\\\\\"",
        "\"\\\"}\"",
        "\"é ü 漢 😀\"",
        "{\"é\":{\"😀\":\"\u2028\"}}",
        "true",
        "false",
        "null",
        "0",
        "{\"" + "n".repeat(100_000) + "\":\"" + "v".repeat(100_000) + "\"}",
        "[".repeat(500) + "]".repeat(500),
        "{\"a\":".repeat(500) + "1" + "}".repeat(500));
  }

  @ParameterizedTest
  @MethodSource("payloads")
  void payloadIsCutOutAsItCame(String payload) {
    for (String spaces : List.of("", " ", " \t\r\n ")) {
      assertPayload("{\"tenant\":\"acme\",\"type\":\"t\",\"payload\":%s}", payload, spaces);
      assertPayload("{\"payload\":%s,\"tenant\":\"acme\",\"type\":\"t\"}", payload, spaces);
      assertPayload(
          "\uFEFF{\"payload\":%s,\"tenant\":\"acme\",\"type\":\"t\"}\r\n", payload, spaces);
      assertPayload(
          "\n {\"tenant\":\"é😀\",\"payload\":%s,\"type\":\"\\u0074\"} \n", payload, spaces);
    }
  }

  private void assertPayload(String envelope, String payload, String spaces) {
    NewEvent event = read(envelope.formatted(spaces + payload + spaces));
    assertThat(event.payload()).isEqualTo(payload.getBytes(StandardCharsets.UTF_8));
    assertThat(event.type()).isEqualTo("t");
    assertThat(event.contentType()).isEqualTo("application/json");
  }

  @Test
  void fieldsAreDecoded() {
    NewEvent event =
        read(
            "{\"resource\":\"o\\u0072der \\ud83d\\ude00\",\"type\":\"order.paid\",\"id\":\"a/b\",\"tenant\":\"ac\\\"me\",\"payload\":1}");
    assertThat(event.id()).isEqualTo("a/b");
    assertThat(event.tenant()).isEqualTo("ac\"me");
    assertThat(event.resource()).isEqualTo("order 😀");
  }

  @Test
  void emptyResourceIsNotAMissingOne() {
    String rest = "\"tenant\":\"acme\",\"type\":\"t\",\"payload\":1}";
    assertThat(read("{\"resource\":\"\"," + rest).resource()).isEmpty();
    assertThat(read("{" + rest).resource()).isNull();
  }

  @Test
  void missingIdIsGeneratedAndDifferentEachTime() {
    String json = "{\"tenant\":\"acme\",\"type\":\"t\",\"payload\":1}";
    String first = read(json).id();
    assertThat(first).matches("evt_[0-9a-f]{32}").isNotEqualTo(read(json).id());
    assertThat(Long.parseLong(first.substring(4, 16), 16)).isEqualTo(NOW.toEpochMilli());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"type":"t","payload":1}                                  | tenant   | is required
          {"tenant":"a","payload":1}                                | type     | is required
          {"tenant":"a","type":"t"}                                 | payload  | is required
          {"tenant":"","type":"t","payload":1}                      | tenant   | must not be empty
          {"tenant":"a","type":"","payload":1}                      | type     | must not be empty
          {"id":"","tenant":"a","type":"t","payload":1}             | id       | must not be empty
          {"id":null,"tenant":"a","type":"t","payload":1}           | id       | it is null
          {"id":7,"tenant":"a","type":"t","payload":1}              | id       | it is a number
          {"tenant":["a"],"type":"t","payload":1}                   | tenant   | it is an array
          {"tenant":"a","type":{},"payload":1}                      | type     | it is an object
          {"tenant":"a","type":true,"payload":1}                    | type     | it is a boolean
          {"tenant":"a","type":"t","resource":null,"payload":1}     | resource | it is null
          {"tenant":"a","type":"order *","payload":1}               | type     | white space
          {"tenant":"a","type":"order.*","payload":1}               | type     | must not contain *
          {"tenant":"a","type":"a\\tb","payload":1}                 | type     | control characters
          {"tenant":"a","type":"a\\u00a0b","payload":1}             | type     | white space
          {"tenant":"a\\u0000","type":"t","payload":1}              | tenant   | control characters
          {"tenant":"a","type":"t","resource":"\\u0000","payload":1}| resource | control characters
          {"tenant":"\\ud800","type":"t","payload":1}               | tenant   | surrogate
          {"tenant":"a","type":"t","payload":1,"data":2}            | data     | is not a field
          {"Tenant":"a","type":"t","payload":1}                     | Tenant   | is not a field
          {"tenant":"a","type":"t","payload":1,"payload":1}         | payload  | more than once
          {"tenant":"a","tenant":"b","type":"t","payload":1}        | tenant   | more than once
          {"tenant":"a","type":"t","payload":01}                    | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":+1}                    | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":.5}                    | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":1.}                    | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":NaN}                   | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":'x'}                   | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":"\\x"}                 | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":[1,]}                  | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":{"a":1,}}              | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":/* c */ 1}             | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":{"a"                   | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":"abc                   | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":😀}                     | payload  | not valid JSON
          {"tenant":"a","type":"t","payload":}                      | payload  | not valid JSON
          """)
  void badFieldIsNamed(String json, String field, String detail) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read(json))
        .satisfies(
            e -> {
              assertThat(e.field()).isEqualTo(field);
              assertThat(e.detail()).startsWith(field + " ").contains(detail);
              assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(e.detail())).isTrue();
            });
  }

  @Test
  void onlyWhatMayBeMissingIsToBeLeftOut() {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read("{\"tenant\":null,\"type\":\"t\",\"payload\":1}"))
        .withMessage("tenant must be a string, it is null");
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read("{\"resource\":null,\"tenant\":\"a\",\"type\":\"t\",\"payload\":1}"))
        .withMessage("resource must be a string, it is null; leave it out when there is none");
  }

  @Test
  void bodyThatIsNotJsonSaysWhere() {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read("{\"tenant\" \"a\"}"))
        .withMessageStartingWith("The body is not valid JSON: at line 1, column ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\uFEFF",
        "[]",
        "1",
        "\"x\"",
        "null",
        "tenant=acme",
        "{",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1,}",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1 2}",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1}}",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1}{}",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1}x",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1}\u0000",
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1}\uFEFF",
        "\uFEFF\uFEFF{\"tenant\":\"a\",\"type\":\"t\",\"payload\":1}",
        "{tenant:\"a\",\"type\":\"t\",\"payload\":1}"
      })
  void whatIsNotOneObjectIsRefused(String json) {
    assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> read(json));
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "ISO-8859-1"})
  void otherEncodingsAreRefused(String charset) {
    byte[] json =
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":\"é\"}".getBytes(Charset.forName(charset));
    assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> reader.read(Slice.of(json)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ff", "80", "c0af", "c3", "e28228", "eda080", "f4908080", "f8888080"})
  void invalidUtf8InsideThePayloadIsRefused(String hex) {
    byte[] json =
        "{\"tenant\":\"a\",\"type\":\"t\",\"payload\":\"????\"}".getBytes(StandardCharsets.UTF_8);
    byte[] bad = java.util.HexFormat.of().parseHex(hex);
    System.arraycopy(bad, 0, json, json.length - 6, bad.length);
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> reader.read(Slice.of(json)))
        .satisfies(e -> assertThat(e.detail()).contains("UTF-8"));
  }

  @Test
  void tooDeepNestingIsRefusedAndSaysSo() {
    for (int depth : new int[] {501, 502, 100_000}) {
      String payload = "[".repeat(depth) + "]".repeat(depth);
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() -> read("{\"tenant\":\"a\",\"type\":\"t\",\"payload\":" + payload + "}"))
          .satisfies(
              e -> {
                assertThat(e.field()).isEqualTo("payload");
                assertThat(e.detail()).isEqualTo("payload is nested more than 500 levels deep");
              });
    }
  }

  // H12
  @Test
  void keysOverTheLimitAreRefusedInBytesOfUtf8() {
    String fits = "é".repeat(128);
    String tooLong = "é".repeat(128) + "x";
    String envelope =
        "{\"id\":\"%s\",\"tenant\":\"%s\",\"type\":\"%s\",\"resource\":\"%s\",\"payload\":1}";
    assertThat(read(envelope.formatted(fits, fits, fits, fits)).resource()).isEqualTo(fits);
    String[] fields = {"id", "tenant", "type", "resource"};
    for (int i = 0; i < fields.length; i++) {
      Object[] values = {"a", "a", "a", "a"};
      values[i] = tooLong;
      String field = fields[i];
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() -> read(envelope.formatted(values)))
          .satisfies(e -> assertThat(e.field()).isEqualTo(field));
    }
  }

  @Test
  void namesThatMakeNoTextAreRepeatedSafely() {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read("{\"\\ud800" + "x".repeat(1000) + "\":1}"))
        .satisfies(e -> assertThat(e.field()).isEqualTo("?" + "x".repeat(63) + "…"));
  }

  private NewEvent read(String json) {
    return reader.read(Slice.of(json.getBytes(StandardCharsets.UTF_8)));
  }
}
