package dev.seriatim.publish;

import dev.seriatim.api.Fields;
import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.TraceContext;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads CloudEvents 1.0, structured (JSON event format 1.0.2) and binary (HTTP protocol binding
 * 1.0.2). {@code id} and {@code type} are the event's, {@code subject} is its resource, the
 * extension attribute {@code tenant} its tenant, {@code traceparent} and {@code tracestate} its
 * trace; all other attributes are let pass and not sent on. What receivers get is the data.
 *
 * <p>Thread-safe.
 */
@Component
class CloudEventReader {

  private static final String DATA = "data";
  private static final String DATA_BASE64 = "data_base64";

  /** Those whose value means something here; the others may be of any type. */
  private static final Set<String> UNDERSTOOD =
      Set.of("specversion", "id", "source", "type", "subject", "datacontenttype", "tenant");

  /**
   * @param json one JSON object in UTF-8
   * @throws ProblemException 400 naming the attribute that is not acceptable
   */
  NewEvent structured(Slice json) {
    Members members = Members.read(json);
    Map<String, String> attributes = new HashMap<>();
    for (String name : members.names()) {
      if (!name.equals(DATA) && !name.equals(DATA_BASE64)) {
        requireAttributeName(name);
        // A trace context that makes no sense counts as none, whatever its type.
        Slice trace = CloudEventHeaders.TRACE.contains(name) ? members.value(name) : null;
        if (trace != null && Json.Kind.of(trace) == Json.Kind.STRING) {
          attributes.put(name, Json.text(trace));
        }
        // An attribute that is null counts as absent (JSON event format, section 2.2).
        if (UNDERSTOOD.contains(name) && !members.isNull(name)) {
          String value = members.text(name);
          if (value != null) {
            attributes.put(name, value);
          }
        }
      }
    }
    String contentType =
        ContentTypes.sendable(
            "datacontenttype", attributes.getOrDefault("datacontenttype", ContentTypes.JSON));
    return event(attributes, contentType, data(members, contentType));
  }

  /**
   * @param attributes by name, in lower case, without {@code ce-}; the values decoded
   * @param contentType of the request; null when it has none
   * @param body the data as it is
   * @throws ProblemException 400 naming the attribute that is not acceptable
   */
  NewEvent binary(Map<String, String> attributes, @Nullable String contentType, Slice body) {
    attributes.keySet().forEach(CloudEventReader::requireAttributeName);
    if (attributes.containsKey("datacontenttype")) {
      throw ProblemException.invalid(
          "ce-datacontenttype", "must not be sent: in binary mode it is the Content-Type");
    }
    return event(
        attributes,
        ContentTypes.sendable(
            "Content-Type", contentType == null ? ContentTypes.OCTETS : contentType),
        body.copy());
  }

  private static NewEvent event(Map<String, String> attributes, String contentType, byte[] data) {
    String version = Fields.name("specversion", attributes.get("specversion"));
    if (!version.equals("1.0")) {
      throw ProblemException.invalid("specversion", "must be 1.0, the only version understood");
    }
    String source = attributes.get("source");
    if (source == null || source.isEmpty()) {
      throw ProblemException.invalid("source", "is required and must not be empty");
    }
    String tenant = attributes.get("tenant");
    if (tenant == null) {
      throw ProblemException.invalid(
          "tenant", "is required: an extension attribute that says whose event it is");
    }
    String subject = attributes.get("subject");
    return new NewEvent(
        Fields.name("tenant", tenant),
        Fields.name("id", attributes.get("id")),
        EventNames.type("type", attributes.get("type")),
        subject == null ? null : Fields.key("subject", subject),
        contentType,
        data,
        TraceContext.parse(
            attributes.get(TraceContext.TRACEPARENT), attributes.get(TraceContext.TRACESTATE)));
  }

  /** JSON event format, section 3.1.2. No data at all is an empty payload. */
  private static byte[] data(Members members, String contentType) {
    Slice data = members.value(DATA);
    String base64 = members.isNull(DATA_BASE64) ? null : members.text(DATA_BASE64);
    if (base64 != null) {
      if (data != null) {
        throw ProblemException.invalid(DATA_BASE64, "must not be there together with data");
      }
      return decodeBase64(base64);
    }
    if (data == null) {
      return new byte[0];
    }
    if (ContentTypes.isJson(contentType)) {
      return data.copy();
    }
    if (Json.Kind.of(data) != Json.Kind.STRING) {
      throw ProblemException.invalid(
          DATA,
          "must be a JSON string because datacontenttype is not JSON; send bytes as data_base64");
    }
    return encodeUtf8(Json.text(data));
  }

  private static byte[] decodeBase64(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      ProblemException problem =
          ProblemException.invalid(DATA_BASE64, "must be base64 (RFC 4648 section 4)");
      problem.initCause(e);
      throw problem;
    }
  }

  private static byte[] encodeUtf8(String text) {
    try {
      var encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      ProblemException problem =
          ProblemException.invalid(
              DATA,
              "has half a surrogate pair, which is no text outside of JSON; send data_base64");
      problem.initCause(e);
      throw problem;
    }
  }

  /**
   * CloudEvents 1.0.2, "Naming conventions"; its advice of at most 20 characters is not enforced.
   */
  private static void requireAttributeName(String name) {
    boolean valid =
        !name.isEmpty()
            && name.chars().allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'));
    if (!valid) {
      throw ProblemException.invalid(
          Json.shown(name),
          "is not the name of a CloudEvents attribute: those have only the letters a to z and digits");
    }
  }
}
