package dev.seriatim.operations;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Operators' hands on partitions. Each answers the partition as it is then, and may be repeated.
 */
@RestController
@RequestMapping(path = "/v1/partitions/{partition}", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Partitions")
@ApiResponse(responseCode = "200", description = "The partition as it is then")
@ApiResponse(responseCode = "404", description = "No such partition", content = @Content)
class PartitionController {

  private final PartitionActions actions;

  PartitionController(PartitionActions actions) {
    this.actions = actions;
  }

  @Operation(
      summary = "Send nothing of a partition until it is resumed",
      description = "Its owner keeps it, and all lanes of all subscriptions in it wait, in order.")
  @PostMapping("/pause")
  PartitionState pause(
      @PathVariable("partition") String partition,
      @RequestBody(required = false) @Nullable Reason reason) {
    return actions.pause(number(partition), Reason.of(reason));
  }

  @Operation(
      summary = "Let a paused partition go on",
      description = "Heads that paused it because they were exhausted have all attempts again.")
  @PostMapping("/resume")
  PartitionState resume(@PathVariable("partition") String partition) {
    return actions.resume(number(partition));
  }

  private static int number(String partition) {
    return PathId.number(partition)
        .filter(number -> number == number.intValue())
        .map(Long::intValue)
        .orElseThrow(() -> PartitionActions.unknown(partition));
  }
}
