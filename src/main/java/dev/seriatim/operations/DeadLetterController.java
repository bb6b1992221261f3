package dev.seriatim.operations;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.MediaType;
import org.springframework.util.MultiValueMap;
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
  @Parameter(name = "tenant", in = ParameterIn.QUERY)
  @Parameter(name = "subscription", in = ParameterIn.QUERY, description = "Its id")
  @Parameter(name = "key", in = ParameterIn.QUERY, description = "Ordering key")
  @Parameter(name = "reason", in = ParameterIn.QUERY)
  @Parameter(name = "from", in = ParameterIn.QUERY, description = "Ejected at or after")
  @Parameter(name = "to", in = ParameterIn.QUERY, description = "Ejected before")
  @Parameter(name = "cursor", in = ParameterIn.QUERY, description = "nextCursor of the page before")
  @Parameter(name = "limit", in = ParameterIn.QUERY, description = "1 to 500, 50 when missing")
  @GetMapping
  Page<DeadLetter> list(
      @Parameter(hidden = true) @RequestParam MultiValueMap<String, String> parameters) {
    QueryParameters query = QueryParameters.of(parameters, DeadLetterFilter.PARAMETERS);
    PageRequest page = query.page();
    return Page.of(
        deadLetters.list(DeadLetterFilter.of(query), page),
        page,
        letter -> Long.toString(letter.id()));
  }

  @Operation(summary = "One dead letter, with its payload and last attempts")
  @ApiResponse(responseCode = "200", description = "The dead letter")
  @ApiResponse(responseCode = "404", description = "No such dead letter", content = @Content)
  @GetMapping("/{id}")
  DeadLetter.Detail read(
      @PathVariable("id") String id,
      @Parameter(hidden = true) @RequestParam MultiValueMap<String, String> parameters) {
    QueryParameters.of(parameters, Set.of());
    return number(id)
        .flatMap(deadLetters::find)
        .orElseThrow(
            () ->
                new ProblemException(
                    ProblemType.NOT_FOUND, "There is no dead letter %s".formatted(id)));
  }

  /** Ids are numbers; anything else is the id of no dead letter. */
  private static Optional<Long> number(String id) {
    try {
      return Optional.of(Long.valueOf(id));
    } catch (NumberFormatException anotherId) {
      return Optional.empty();
    }
  }
}
