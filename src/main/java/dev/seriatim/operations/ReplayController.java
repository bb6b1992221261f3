package dev.seriatim.operations;

import dev.seriatim.queue.Replay;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Lets operators have what could not be delivered delivered after all, or forget it. */
@RestController
@RequestMapping(path = "/v1/dead-letters", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Dead letters")
class ReplayController {

  private final DeadLetterReplays letters;
  private final DeadLetterRows rows;
  private final JobStarts jobs;

  ReplayController(DeadLetterReplays letters, DeadLetterRows rows, JobStarts jobs) {
    this.letters = letters;
    this.rows = rows;
    this.jobs = jobs;
  }

  @Operation(
      summary = "Replay a dead letter",
      description =
          """
          ORIGINAL, the default, keeps its webhook-id and sequence and goes ahead of what waits in \
          its lane. NEW is a copy with an id of its own at the end of the lane. A repeat changes \
          nothing and tells who did it before. For a disabled subscription it waits.""")
  @ApiResponse(
      responseCode = "200",
      description = "It is in the queue, or was brought there before")
  @ApiResponse(responseCode = "404", description = "No such dead letter", content = @Content)
  @ApiResponse(
      responseCode = "409",
      description = "It was discarded, its subscription was deleted, or its event is queued",
      content = @Content)
  @PostMapping("/{id}/replay")
  ReplayedLetter replay(
      @PathVariable("id") String id,
      @RequestBody(required = false) ReplayRequest.@Nullable One body) {
    long number = PathNumbers.read(id).orElseThrow(() -> DeadLetterReplays.unknown(id));
    return letters.replay(number, ReplayRequest.orOriginal(body == null ? null : body.as()));
  }

  @Operation(
      summary = "Discard a dead letter",
      description =
          "It is hidden and cannot be replayed; its event says DISCARDED. A repeat is fine.")
  @ApiResponse(responseCode = "204", description = "It is discarded")
  @ApiResponse(responseCode = "404", description = "No such dead letter", content = @Content)
  @ApiResponse(responseCode = "409", description = "It was replayed", content = @Content)
  @DeleteMapping("/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void discard(@PathVariable("id") String id) {
    letters.discard(PathNumbers.read(id).orElseThrow(() -> DeadLetterReplays.unknown(id)));
  }

  @Operation(
      summary = "Replay the dead letters of a filter",
      description =
          """
          The filter is that of the list; subscription and key together are a lane, which is \
          replayed in sequence. At least one member, or "all": true. With "dryRun": true nothing \
          happens but a count.""")
  @ApiResponse(
      responseCode = "200",
      description = "Only counted",
      content = @Content(schema = @Schema(implementation = ReplayRequest.Count.class)))
  @ApiResponse(
      responseCode = "202",
      description = "A job does it; Location says where to follow it",
      content = @Content(schema = @Schema(implementation = Job.class)))
  @PostMapping("/replay")
  ResponseEntity<Object> replayAll(@RequestBody ReplayRequest.Many body) {
    DeadLetterFilter filter = body.filter();
    Replay as = ReplayRequest.orOriginal(body.as());
    long upTo = rows.last();
    long count = rows.count(filter, upTo);
    return Boolean.TRUE.equals(body.dryRun())
        ? ResponseEntity.ok(new ReplayRequest.Count(count))
        : jobs.accept(
            JobKind.REPLAY_DEAD_LETTERS,
            new DeadLetterJob.Parameters(filter, as, upTo),
            count,
            Map.of("filter", filter, "as", as, "count", count));
  }
}
