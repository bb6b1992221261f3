package dev.seriatim.publish;

import dev.seriatim.api.Fields;
import dev.seriatim.api.ProblemException;
import dev.seriatim.queue.NewEvent;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Reads an event in Seriatim's own form: {@code {"id", "tenant", "type", "resource", "payload"}}.
 * The payload is cut out as the bytes that were received, from the first of the value to its last;
 * it is never parsed into objects and written again.
 *
 * <p>Thread-safe.
 */
@Component
class EnvelopeReader {

  private static final List<String> FIELDS = List.of("id", "tenant", "type", "resource", "payload");

  private final EventNames names;

  EnvelopeReader(EventNames names) {
    this.names = names;
  }

  /**
   * @param json one JSON object in UTF-8
   * @throws ProblemException 400 naming the field that is not acceptable
   */
  NewEvent read(Slice json) {
    Members members = Members.read(json);
    for (String name : members.names()) {
      if (!FIELDS.contains(name)) {
        throw ProblemException.invalid(
            Json.shown(name), "is not a field of an event; there are " + String.join(", ", FIELDS));
      }
    }
    String id = members.optionalText("id");
    String resource = members.optionalText("resource");
    String tenant = Fields.name("tenant", members.text("tenant"));
    String type = EventNames.type("type", members.text("type"));
    String checkedId = id == null ? names.newId() : Fields.name("id", id);
    String checkedResource = resource == null ? null : Fields.key("resource", resource);
    Slice payload = members.value("payload");
    if (payload == null) {
      throw ProblemException.invalid("payload", "is required; it may be any JSON value");
    }
    return new NewEvent(
        tenant, checkedId, type, checkedResource, ContentTypes.JSON, payload.copy());
  }
}
