package dev.seriatim.operations;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows operators what stands in line, and what is stuck. */
@RestController
@RequestMapping(path = "/v1/lanes", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Lanes")
class LaneController {

  private final LaneQuery lanes;

  LaneController(LaneQuery lanes) {
    this.lanes = lanes;
  }

  @Operation(
      summary = "Lanes with something queued, those that are stuck for the longest time first",
      description =
          """
          The oldest stuck key is that of state=WAITING&limit=1, and of state=HELD&limit=1. \
          WAITING: its head has failed and is tried again. HELD: nothing of it is sent. \
          sort=depth counts all that is queued in the lanes it compares.""")
  @GetMapping
  Page<Lane> list(
      @Parameter(schema = @Schema(implementation = Lane.State.class))
          @RequestParam(name = "state", required = false)
          @Nullable String state,
      @Parameter(description = "Id of the head's subscription")
          @RequestParam(name = "subscription", required = false)
          @Nullable String subscription,
      @RequestParam(name = "tenant", required = false) @Nullable String tenant,
      @Parameter(description = "Ordering key") @RequestParam(name = "key", required = false)
          @Nullable String key,
      @Parameter(description = "Its number") @RequestParam(name = "partition", required = false)
          @Nullable Integer partition,
      @Parameter(
              description =
                  "ISO 8601 duration: for how long it has been held, failing or, if neither, its head published")
          @RequestParam(name = "olderThan", required = false)
          @Nullable String olderThan,
      @Parameter(
              description = "age when missing",
              schema = @Schema(allowableValues = {"age", "depth"}))
          @RequestParam(name = "sort", required = false)
          @Nullable String sort,
      @Parameter(description = "nextCursor of the page before")
          @RequestParam(name = "cursor", required = false)
          @Nullable String cursor,
      @Parameter(description = "1 to 500, 50 when missing")
          @RequestParam(name = "limit", required = false)
          @Nullable Integer limit) {
    PageRequest page = PageRequest.of(cursor, limit);
    Lane.Sort by = LanePosition.sort(sort);
    LaneFilter filter = LaneFilter.of(state, subscription, tenant, key, partition, olderThan);
    List<LaneQuery.Listed> rows = lanes.list(filter, by, page);
    Page<LaneQuery.Listed> cut = Page.of(rows, page, row -> row.position(by).text());
    return new Page<>(cut.items().stream().map(LaneQuery.Listed::lane).toList(), cut.nextCursor());
  }

  @Operation(summary = "One lane, with what is first in line and the last attempts of its head")
  @ApiResponse(responseCode = "200", description = "The lane")
  @ApiResponse(responseCode = "404", description = "No such lane", content = @Content)
  @GetMapping("/{id}")
  Lane.Detail read(@PathVariable("id") String id) {
    return PathId.number(id).flatMap(lanes::detail).orElseThrow(() -> LaneActions.unknown(id));
  }
}
