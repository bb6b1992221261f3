package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Operators' hands on lanes. Each answers the lane as it is then, and may be repeated. */
@RestController
@RequestMapping(path = "/v1/lanes/{id}", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Lanes")
@ApiResponse(responseCode = "200", description = "The lane as it is then")
@ApiResponse(responseCode = "404", description = "No such lane", content = @Content)
class LaneActionController {

  /**
   * @param sequence the one of the head that is to go
   */
  record Skipping(@Schema(requiredMode = Schema.RequiredMode.REQUIRED) @Nullable Long sequence) {}

  private final LaneActions actions;

  LaneActionController(LaneActions actions) {
    this.actions = actions;
  }

  @Operation(summary = "Hold a lane, in order, until it is resumed")
  @PostMapping("/park")
  Lane park(@PathVariable("id") String id, @RequestBody(required = false) @Nullable Reason reason) {
    return actions.park(number(id), Reason.of(reason));
  }

  @Operation(summary = "Let a held lane go on; its head has all of its attempts again")
  @PostMapping("/resume")
  Lane resume(@PathVariable("id") String id) {
    return actions.resume(number(id));
  }

  @Operation(
      summary = "Take the head out of line, into the dead letters",
      description =
          "Names the head, so that a repeat takes nothing else. A lane that its policy held goes on.")
  @ApiResponse(
      responseCode = "409",
      description = "The sequence is not the head's yet",
      content = @Content)
  @PostMapping("/skip")
  Lane skip(@PathVariable("id") String id, @RequestBody(required = false) @Nullable Skipping head) {
    Long sequence = head == null ? null : head.sequence();
    if (sequence == null) {
      throw ProblemException.invalid(
          "sequence", "is required: that of the head, as GET /v1/lanes/%s shows it".formatted(id));
    }
    if (sequence < 1) {
      throw ProblemException.invalid("sequence", "must be 1 or more");
    }
    return actions.skip(number(id), sequence);
  }

  @Operation(summary = "Try the head again at once")
  @ApiResponse(
      responseCode = "409",
      description = "Something holds it, which the answer names",
      content = @Content)
  @PostMapping("/retry")
  Lane retry(@PathVariable("id") String id) {
    return actions.retry(number(id));
  }

  private static long number(String id) {
    return PathId.number(id).orElseThrow(() -> LaneActions.unknown(id));
  }
}
