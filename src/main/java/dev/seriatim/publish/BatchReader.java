package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.queue.NewEvent;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/**
 * Turns a request into the events that it carries: a JSON array, or one JSON text a line. First the
 * elements are found, to the end of the body, then each is read as if it had come alone, so that a
 * bad one refuses only itself.
 */
@Component
class BatchReader {

  /** Most events in one request. */
  static final int MAX_EVENTS = 1000;

  /**
   * For finding the elements of an array only: an element that is too deep for an event is refused
   * alone, while this bound keeps the search itself cheap.
   */
  private static final int MAX_DEPTH = 10 * Json.MAX_DEPTH;

  private final EnvelopeReader envelopes;
  private final CloudEventReader cloudEvents;
  private final EventReader events;
  private final PublishLimits limits;

  BatchReader(
      EnvelopeReader envelopes,
      CloudEventReader cloudEvents,
      EventReader events,
      PublishLimits limits) {
    this.envelopes = envelopes;
    this.cloudEvents = cloudEvents;
    this.events = events;
    this.limits = limits;
  }

  /**
   * In the order of the request, at least one.
   *
   * @throws ProblemException 400 when the elements cannot be told apart or there are none, 413 when
   *     there are too many or the body is too large, 415; nothing of the request is stored
   */
  List<BatchItem> read(HttpServletRequest request) {
    String contentType = request.getContentType();
    String essence = contentType == null ? "" : ContentTypes.essence(contentType);
    Function<Slice, NewEvent> reader =
        essence.equals(ContentTypes.CLOUD_EVENT_BATCH) ? cloudEvents::structured : envelopes::read;
    List<Slice> elements =
        switch (essence) {
          case ContentTypes.JSON, ContentTypes.CLOUD_EVENT_BATCH -> {
            ContentTypes.requireUtf8(contentType);
            yield elements(body(request));
          }
          case ContentTypes.NDJSON -> {
            ContentTypes.requireUtf8(contentType);
            yield lines(body(request));
          }
          default ->
              throw ContentTypes.unsupported(
                  "The Content-Type of a batch must be %s, %s or %s; it is %s"
                      .formatted(
                          ContentTypes.JSON,
                          ContentTypes.NDJSON,
                          ContentTypes.CLOUD_EVENT_BATCH,
                          essence.isEmpty() ? "missing" : essence));
        };
    if (elements.isEmpty()) {
      throw new ProblemException(
          ProblemType.INVALID_REQUEST, "A batch must have at least one event");
    }
    return elements.stream().map(element -> item(element, reader)).toList();
  }

  private BatchItem item(Slice element, Function<Slice, NewEvent> reader) {
    try {
      return new BatchItem.Readable(events.withinLimit(reader.apply(element)));
    } catch (ProblemException e) {
      // The elements of an array have been found to be JSON already; a line is judged only here.
      return new BatchItem.Refused(
          e.field() == null && e.getCause() instanceof MalformedJsonException malformed
              ? new ProblemException(ProblemType.INVALID_REQUEST, "The line " + malformed.what())
              : e);
    }
  }

  private Slice body(HttpServletRequest request) {
    return Bodies.read(
            request,
            limits.batchBytes(),
            "send fewer events at once (seriatim.publish.max-batch-body)")
        .withoutByteOrderMark();
  }

  /** The elements of the one JSON array that the body must be. */
  static List<Slice> elements(Slice body) {
    Json.requireUtf8(body);
    JsonScanner scanner = new JsonScanner(body, MAX_DEPTH);
    if (!scanner.startsWith('[')) {
      throw new ProblemException(
          ProblemType.INVALID_REQUEST,
          "A batch must be a JSON array of events (or %s, one event a line)"
              .formatted(ContentTypes.NDJSON));
    }
    List<Slice> elements = new ArrayList<>();
    try {
      scanner.expect('[');
      while (scanner.hasNext(']', elements.isEmpty())) {
        add(elements, scanner.value());
      }
    } catch (MalformedJsonException e) {
      throw Json.problem("[" + elements.size() + "]", e);
    }
    if (!scanner.atEnd()) {
      throw new ProblemException(
          ProblemType.INVALID_REQUEST, "There is something after the end of the JSON array");
    }
    return elements;
  }

  /** The lines of the body that are not blank, without their ends. */
  static List<Slice> lines(Slice body) {
    List<Slice> lines = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= body.length(); i++) {
      if (i == body.length() || body.bytes()[body.from() + i] == '\n') {
        Slice line = body.part(start, i);
        if (!line.isBlank()) {
          add(lines, line);
        }
        start = i + 1;
      }
    }
    return lines;
  }

  private static void add(List<Slice> elements, Slice element) {
    if (elements.size() == MAX_EVENTS) {
      throw new ProblemException(
          ProblemType.TOO_LARGE,
          "A batch may have %d events; send them in several requests".formatted(MAX_EVENTS));
    }
    elements.add(element);
  }
}
