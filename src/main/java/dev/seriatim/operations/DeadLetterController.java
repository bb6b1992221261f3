package dev.seriatim.operations;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.queue.EjectReason;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows operators what could not be delivered. */
@RestController
@RequestMapping(path = "/v1/dead-letters", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Dead letters")
class DeadLetterController {

  private final DeadLetterQuery deadLetters;

  DeadLetterController(DeadLetterQuery deadLetters) {
    this.deadLetters = deadLetters;
  }

  @Operation(summary = "Dead letters, newest first")
  @GetMapping
  Page<DeadLetter> list(
      @RequestParam(name = "tenant", required = false) @Nullable String tenant,
      @Parameter(description = "Its id") @RequestParam(name = "subscription", required = false)
          @Nullable String subscription,
      @Parameter(description = "Ordering key") @RequestParam(name = "key", required = false)
          @Nullable String key,
      @Parameter(schema = @Schema(implementation = EjectReason.class))
          @RequestParam(name = "reason", required = false)
          @Nullable String reason,
      @Parameter(description = "Ejected at or after this time")
          @RequestParam(name = "from", required = false)
          @Nullable String from,
      @Parameter(description = "Ejected before this time")
          @RequestParam(name = "to", required = false)
          @Nullable String to,
      @Parameter(description = "nextCursor of the page before")
          @RequestParam(name = "cursor", required = false)
          @Nullable String cursor,
      @Parameter(description = "1 to 500, 50 when missing")
          @RequestParam(name = "limit", required = false)
          @Nullable Integer limit) {
    PageRequest page = PageRequest.of(cursor, limit);
    DeadLetterFilter filter = DeadLetterFilter.of(tenant, subscription, key, reason, from, to);
    return Page.of(deadLetters.list(filter, page), page, letter -> Long.toString(letter.id()));
  }

  @Operation(summary = "One dead letter, with its payload and last attempts")
  @ApiResponse(responseCode = "200", description = "The dead letter")
  @ApiResponse(responseCode = "404", description = "No such dead letter", content = @Content)
  @GetMapping("/{id}")
  DeadLetter.Detail read(@PathVariable("id") String id) {
    return PathNumbers.read(id)
        .flatMap(deadLetters::find)
        .orElseThrow(
            () ->
                new ProblemException(
                    ProblemType.NOT_FOUND, "There is no dead letter %s".formatted(id)));
  }
}
