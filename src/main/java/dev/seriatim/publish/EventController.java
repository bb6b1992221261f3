package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.PublishResult;
import dev.seriatim.queue.Publisher;
import dev.seriatim.queue.TooManyWaitingException;
import dev.seriatim.queue.TraceContext;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The way in over HTTP. Answers after the commit, so that whatever was answered 2xx survives this
 * pod. A database that is away surfaces as the {@code DataAccessException} of the publisher, for
 * the API's general handler: 503, nothing stored, safe to repeat.
 */
@RestController
@Tag(name = "Events")
class EventController {

  private static final String RETRY_AFTER_SECONDS = "1";

  private static final String EXAMPLE =
      """
      {"id": "evt_1", "tenant": "acme", "type": "order.paid", "resource": "order_7", \
      "payload": {"any": "JSON, delivered byte for byte"}}""";

  private static final String CLOUD_EVENT_EXAMPLE =
      """
      {"specversion": "1.0", "id": "evt_1", "source": "/orders", "type": "order.paid", \
      "tenant": "acme", "subject": "order_7", "data": {"any": "JSON, delivered byte for byte"}}""";

  private final EventReader events;
  private final BatchReader batches;
  private final Publisher publisher;

  EventController(EventReader events, BatchReader batches, Publisher publisher) {
    this.events = events;
    this.batches = batches;
    this.publisher = publisher;
  }

  @Operation(
      summary = "Publish one event",
      description =
          "As an envelope, or as a CloudEvent 1.0, structured or binary (ce- headers, any content"
              + " type). Idempotent by tenant and id.")
  @RequestBody(
      required = true,
      content = {
        @Content(
            mediaType = ContentTypes.JSON,
            schema = @Schema(implementation = EventSchema.class),
            examples = @ExampleObject(EXAMPLE)),
        @Content(
            mediaType = ContentTypes.CLOUD_EVENT,
            schema = @Schema(type = "object"),
            examples = @ExampleObject(CLOUD_EVENT_EXAMPLE))
      })
  @ApiResponse(responseCode = "202", description = "Stored and queued")
  @ApiResponse(responseCode = "200", description = "The same event had been published before")
  @ApiResponse(
      responseCode = "409",
      description = "The id is taken by other content",
      content = @Content)
  @ApiResponse(responseCode = "413", description = "The payload is too large", content = @Content)
  @ApiResponse(
      responseCode = "429",
      description = "Too much is waiting; see Retry-After",
      content = @Content)
  @PostMapping(path = "/v1/events", produces = ContentTypes.JSON)
  ResponseEntity<PublishAnswer> publish(HttpServletRequest request, HttpServletResponse response) {
    requireNoParameters(request);
    NewEvent event = ProducerTrace.continued(events.read(request), ProducerTrace.of(request));
    return switch (publish(List.of(event), response).getFirst()) {
      case PublishResult.Accepted accepted -> {
        PublishAnswer answer = PublishAnswer.of(accepted);
        yield ResponseEntity.status(answer.status()).body(answer);
      }
      case PublishResult.Conflict conflict -> throw taken(conflict);
    };
  }

  @Operation(
      summary = "Publish up to 1,000 events in order",
      description =
          "A JSON array, one envelope a line, or a batch of CloudEvents. A bad event refuses only"
              + " itself; the others are stored in the order of the request.")
  @RequestBody(
      required = true,
      content = {
        @Content(
            mediaType = ContentTypes.JSON,
            schema = @Schema(implementation = EventSchema[].class),
            examples = @ExampleObject("[" + EXAMPLE + "]")),
        @Content(
            mediaType = ContentTypes.NDJSON,
            schema = @Schema(type = "string"),
            examples = @ExampleObject(EXAMPLE + "\n")),
        @Content(
            mediaType = ContentTypes.CLOUD_EVENT_BATCH,
            schema = @Schema(type = "array"),
            examples = @ExampleObject("[" + CLOUD_EVENT_EXAMPLE + "]"))
      })
  @ApiResponse(responseCode = "200", description = "One result per event")
  @ApiResponse(
      responseCode = "413",
      description = "Too many events, or too large",
      content = @Content)
  @ApiResponse(
      responseCode = "429",
      description = "Too much is waiting; see Retry-After",
      content = @Content)
  @PostMapping(path = "/v1/events/batch", produces = ContentTypes.JSON)
  BatchAnswer publishBatch(HttpServletRequest request, HttpServletResponse response) {
    requireNoParameters(request);
    List<BatchItem> items = batches.read(request);
    TraceContext trace = ProducerTrace.of(request);
    List<NewEvent> readable = new ArrayList<>();
    for (BatchItem item : items) {
      if (item instanceof BatchItem.Readable(NewEvent event)) {
        readable.add(ProducerTrace.continued(event, trace));
      }
    }
    Iterator<PublishResult> published =
        (readable.isEmpty() ? List.<PublishResult>of() : publish(readable, response)).iterator();
    List<BatchAnswer.Result> results = new ArrayList<>(items.size());
    for (BatchItem item : items) {
      int index = results.size();
      results.add(
          switch (item) {
            case BatchItem.Refused(ProblemException problem) ->
                BatchAnswer.Result.of(index, problem);
            case BatchItem.Readable ignored -> result(index, published.next());
          });
    }
    return new BatchAnswer(results);
  }

  private static BatchAnswer.Result result(int index, PublishResult result) {
    return switch (result) {
      case PublishResult.Accepted accepted ->
          BatchAnswer.Result.of(index, PublishAnswer.of(accepted));
      case PublishResult.Conflict conflict -> BatchAnswer.Result.of(index, taken(conflict));
    };
  }

  private List<PublishResult> publish(List<NewEvent> toStore, HttpServletResponse response) {
    try {
      return publisher.publish(toStore);
    } catch (TooManyWaitingException e) {
      // Set here because it outlives the exception: the handler of problems only adds the body.
      response.setHeader(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
      ProblemException problem =
          new ProblemException(
              ProblemType.TOO_MANY_REQUESTS,
              "Nothing was stored: " + e.getMessage() + "; repeat the request in a second");
      problem.initCause(e);
      throw problem;
    }
  }

  private static ProblemException taken(PublishResult.Conflict conflict) {
    return new ProblemException(
        ProblemType.CONFLICT,
        "Tenant %s has published an event %s before, with another type, resource or payload"
            .formatted(conflict.tenant(), conflict.id()));
  }

  /**
   * Read from the query string itself, because asking the servlet for parameters would consume the
   * body of a CloudEvent that happens to be a form.
   */
  private static void requireNoParameters(HttpServletRequest request) {
    String query = request.getQueryString();
    if (query != null && !query.isEmpty()) {
      String name = query.split("[=&]", 2)[0];
      throw ProblemException.invalid(
          Json.shown(name), "is not a query parameter of this endpoint; it has none");
    }
  }
}
