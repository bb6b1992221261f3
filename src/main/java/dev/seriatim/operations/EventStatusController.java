package dev.seriatim.operations;

import dev.seriatim.api.Fields;
import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Tells producers and operators where an event stands. */
@RestController
@Tag(name = "Events")
class EventStatusController {

  private final EventStatusQuery events;

  EventStatusController(EventStatusQuery events) {
    this.events = events;
  }

  @Operation(
      summary = "Where the deliveries of an event stand",
      description = "A / in the tenant or the id is written as %2F.")
  @ApiResponse(responseCode = "200", description = "The event, without its payload")
  @ApiResponse(responseCode = "404", description = "No such event", content = @Content)
  @GetMapping(path = "/v1/events/{tenant}/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
  EventStatus status(@PathVariable("tenant") String tenant, @PathVariable("id") String id) {
    return events
        .find(Fields.name("tenant", tenant), Fields.name("id", id))
        .orElseThrow(
            () ->
                new ProblemException(
                    ProblemType.NOT_FOUND, "Tenant %s has no event %s".formatted(tenant, id)));
  }
}
