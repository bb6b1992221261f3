package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.queue.NewEvent;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Component;

/** Turns a request into the one event that it carries, whichever form that has. */
@Component
class EventReader {

  private final EnvelopeReader envelopes;
  private final CloudEventReader cloudEvents;
  private final PublishLimits limits;

  EventReader(EnvelopeReader envelopes, CloudEventReader cloudEvents, PublishLimits limits) {
    this.envelopes = envelopes;
    this.cloudEvents = cloudEvents;
    this.limits = limits;
  }

  /**
   * The form follows from {@code Content-Type}, as the CloudEvents HTTP binding says: structured
   * when it names a CloudEvents format, binary when there is {@code ce-specversion}, Seriatim's own
   * otherwise.
   *
   * @throws ProblemException 400, 413 or 415; nothing of the request is stored
   */
  NewEvent read(HttpServletRequest request) {
    String contentType = request.getContentType();
    String essence = contentType == null ? "" : ContentTypes.essence(contentType);
    if (essence.startsWith("application/cloudevents")) {
      if (!essence.equals(ContentTypes.CLOUD_EVENT)) {
        throw ContentTypes.unsupported(
            essence.equals(ContentTypes.CLOUD_EVENT_BATCH)
                ? "Batches of CloudEvents go to POST /v1/events/batch"
                : "Of the CloudEvents formats only " + ContentTypes.CLOUD_EVENT + " is supported");
      }
      ContentTypes.requireUtf8(contentType);
      return withinLimit(cloudEvents.structured(body(request, limits.structuredBytes())));
    }
    if (request.getHeader(CloudEventHeaders.SPEC_VERSION) != null) {
      return cloudEvents.binary(
          CloudEventHeaders.read(request), contentType, body(request, limits.payloadBytes()));
    }
    if (!essence.equals(ContentTypes.JSON)) {
      throw ContentTypes.unsupported(
          "The Content-Type must be %s, %s, or any with the ce- headers of a CloudEvent; it is %s"
              .formatted(
                  ContentTypes.JSON,
                  ContentTypes.CLOUD_EVENT,
                  essence.isEmpty() ? "missing" : essence));
    }
    ContentTypes.requireUtf8(contentType);
    return withinLimit(envelopes.read(body(request, limits.envelopeBytes())));
  }

  /** The event, if its payload is not too large. */
  NewEvent withinLimit(NewEvent event) {
    if (event.payload().length > limits.payloadBytes()) {
      throw new ProblemException(
          ProblemType.TOO_LARGE,
          "The payload has %d bytes; it may have %d (seriatim.publish.max-payload)"
              .formatted(event.payload().length, limits.payloadBytes()));
    }
    return event;
  }

  private Slice body(HttpServletRequest request, int limit) {
    return Bodies.read(
        request,
        limit,
        "a payload may have %d bytes (seriatim.publish.max-payload)"
            .formatted(limits.payloadBytes()));
  }
}
