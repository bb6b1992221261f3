package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.TraceContext;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CloudEventReaderTests {

  private static final String REQUIRED =
      "\"specversion\":\"1.0\",\"id\":\"e1\",\"source\":\"/s\",\"type\":\"order.paid\",\"tenant\":\"acme\"";

  private final CloudEventReader reader = new CloudEventReader();

  @Test
  void attributesBecomeTheEvent() {
    NewEvent event =
        structured(
            "{"
                + REQUIRED
                + ",\"subject\":\"order_7\",\"time\":\"2026-01-01T00:00:00Z\",\"data\":1}");
    assertThat(event.id()).isEqualTo("e1");
    assertThat(event.tenant()).isEqualTo("acme");
    assertThat(event.type()).isEqualTo("order.paid");
    assertThat(event.resource()).isEqualTo("order_7");
    assertThat(event.contentType()).isEqualTo("application/json");
  }

  // H1
  @ParameterizedTest
  @MethodSource("dev.seriatim.publish.EnvelopeReaderTests#payloads")
  void jsonDataIsCutOutAsItCame(String data) {
    for (String type :
        new String[] {"", "application/json", "text/json;charset=utf-8", "a/b+json"}) {
      String declared = type.isEmpty() ? "" : ",\"datacontenttype\":\"" + type + "\"";
      NewEvent event = structured("{\"data\": " + data + " ," + REQUIRED + declared + "}");
      assertThat(event.payload()).isEqualTo(data.getBytes(StandardCharsets.UTF_8));
      assertThat(event.contentType()).isEqualTo(type.isEmpty() ? "application/json" : type);
    }
  }

  @Test
  void dataThatIsNotJsonIsTheText() {
    NewEvent event =
        structured(
            "{\"data\":\"<a b=\\\"c\\\"/>\\u0000é\\ud83d\\ude00\",\"datacontenttype\":\"application/xml\","
                + REQUIRED
                + "}");
    assertThat(event.payload()).isEqualTo("<a b=\"c\"/>\u0000é😀".getBytes(StandardCharsets.UTF_8));
    assertThat(event.contentType()).isEqualTo("application/xml");
  }

  @Test
  void base64DataIsDecodedWhateverTheContentType() {
    NewEvent event =
        structured("{" + REQUIRED + ",\"datacontenttype\":\"image/png\",\"data_base64\":\"AP8=\"}");
    assertThat(event.payload()).containsExactly(0, 0xFF);
    assertThat(event.contentType()).isEqualTo("image/png");
  }

  @Test
  void noDataIsAnEmptyPayload() {
    assertThat(structured("{" + REQUIRED + "}").payload()).isEmpty();
    assertThat(structured("{" + REQUIRED + ",\"data_base64\":null}").payload()).isEmpty();
  }

  @Test
  void nullAttributesAreUnsetAndOtherExtensionsIgnored() {
    NewEvent event =
        structured(
            "{"
                + REQUIRED
                + ",\"subject\":null,\"datacontenttype\":null,\"partitionkey\":7,\"x1\":{\"a\":[]},\"aveeeeeeeeeeeeeerylongname\":true}");
    assertThat(event.resource()).isNull();
    assertThat(event.contentType()).isEqualTo("application/json");
  }

  @Test
  void distributedTracingExtensionIsTheTrace() {
    String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    TraceContext trace = new TraceContext(parent, "a=1");

    assertThat(structured(traced("\"" + parent + "\"", "\"a=1\"")).trace()).isEqualTo(trace);
    Map<String, String> attributes = attributes();
    attributes.put("traceparent", parent);
    attributes.put("tracestate", "a=1");
    assertThat(reader.binary(attributes, null, Slice.of(new byte[0])).trace()).isEqualTo(trace);
    for (String malformed : new String[] {"\"what\"", "\"\"", "7", "null", "{\"a\":[]}", "true"}) {
      assertThat(structured(traced(malformed, malformed)).trace()).isNull();
      assertThat(structured(traced("\"" + parent + "\"", malformed)).trace())
          .isEqualTo(new TraceContext(parent, null));
    }
  }

  private static String traced(String parent, String state) {
    return "{%s,\"traceparent\":%s,\"tracestate\":%s}".formatted(REQUIRED, parent, state);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "id":"e","source":"/s","type":"t","tenant":"a"                        | specversion
          "specversion":"0.3","id":"e","source":"/s","type":"t","tenant":"a"    | specversion
          "specversion":1.0,"id":"e","source":"/s","type":"t","tenant":"a"      | specversion
          "specversion":"1.0","source":"/s","type":"t","tenant":"a"             | id
          "specversion":"1.0","id":"","source":"/s","type":"t","tenant":"a"     | id
          "specversion":"1.0","id":null,"source":"/s","type":"t","tenant":"a"   | id
          "specversion":"1.0","id":"e","type":"t","tenant":"a"                  | source
          "specversion":"1.0","id":"e","source":"","type":"t","tenant":"a"      | source
          "specversion":"1.0","id":"e","source":"/s","tenant":"a"               | type
          "specversion":"1.0","id":"e","source":"/s","type":"*","tenant":"a"    | type
          "specversion":"1.0","id":"e","source":"/s","type":"t"                 | tenant
          "specversion":"1.0","id":"e","source":"/s","type":"t","tenant":""     | tenant
          "specversion":"1.0","id":"e","source":"/s","type":"t","tenant":7      | tenant
          """)
  void requiredAttributesAreNamed(String members, String field) {
    assertRefused("{" + members + ",\"data\":1}", field);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "data":1,"data_base64":"AA=="                           | data_base64
          "data":null,"data_base64":"AA=="                        | data_base64
          "data_base64":"not base64!"                             | data_base64
          "data_base64":7                                         | data_base64
          "data":1,"datacontenttype":"text/plain"                 | data
          "data":{},"datacontenttype":"text/plain"                | data
          "data":"\\ud800","datacontenttype":"text/plain"         | data
          "data":1,"datacontenttype":"plain"                      | datacontenttype
          "data":1,"datacontenttype":""                           | datacontenttype
          "data":1,"datacontenttype":"text/plain\\r\\nX-Evil: 1"  | datacontenttype
          "data":1,"datacontenttype":"text/plain;x=é"             | datacontenttype
          "data":1,"subject":"a\\u0000"                           | subject
          "data":1,"subject":7                                    | subject
          "data":1,"data":2                                       | data
          "data":1,"dataContentType":"text/plain"                 | dataContentType
          "data":1,"my-extension":"x"                             | my-extension
          "data":1,"":"x"                                         | ``
          "payload":[1,                                           | payload
          """)
  void badMembersAreNamed(String members, String field) {
    assertRefused("{" + REQUIRED + "," + members + "}", field);
  }

  @Test
  void binaryBodyIsTakenAsItIs() {
    byte[] body = "\uFEFF{\"a\": 1}\n".getBytes(StandardCharsets.UTF_8);
    NewEvent event = reader.binary(attributes(), "application/json; charset=UTF-8", Slice.of(body));
    assertThat(event.payload()).isEqualTo(body);
    assertThat(event.contentType()).isEqualTo("application/json; charset=UTF-8");
    assertThat(event.id()).isEqualTo("e1");
  }

  @Test
  void binaryWithoutContentTypeIsOctets() {
    NewEvent event = reader.binary(attributes(), null, Slice.of(new byte[] {0, (byte) 0xFF}));
    assertThat(event.contentType()).isEqualTo("application/octet-stream");
    assertThat(event.payload()).containsExactly(0, 0xFF);
  }

  @Test
  void binaryNamesTheContentTypeOnce() {
    Map<String, String> attributes = attributes();
    attributes.put("datacontenttype", "text/plain");
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> reader.binary(attributes, "text/plain", Slice.of(new byte[0])))
        .satisfies(e -> assertThat(e.field()).isEqualTo("ce-datacontenttype"));
  }

  private static Map<String, String> attributes() {
    return new HashMap<>(
        Map.of("specversion", "1.0", "id", "e1", "source", "/s", "type", "t", "tenant", "acme"));
  }

  private void assertRefused(String json, String field) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> structured(json))
        .satisfies(e -> assertThat(e.field()).isEqualTo(field));
  }

  private NewEvent structured(String json) {
    return reader.structured(Slice.of(json.getBytes(StandardCharsets.UTF_8)));
  }
}
