package dev.seriatim.operations;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import dev.seriatim.queue.VerdictCode;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows operators each request that was made to a receiver and what came of it. */
@RestController
@Tag(name = "Attempts")
class AttemptController {

  private final AttemptQuery attempts;

  AttemptController(AttemptQuery attempts) {
    this.attempts = attempts;
  }

  @Operation(
      summary = "Attempts, newest first",
      description =
          """
          Of an event, a subscription, or a tenant that has at most 50 subscriptions. One request \
          looks through 10,000 attempts at most: with key or verdict a page may be short, even \
          empty, while its nextCursor says that the search goes on. Bodies are cut at 16 KB.""")
  @GetMapping(path = "/v1/attempts", produces = MediaType.APPLICATION_JSON_VALUE)
  Page<Attempt.Listed> list(
      @Parameter(description = "Required without subscription")
          @RequestParam(name = "tenant", required = false)
          @Nullable String tenant,
      @Parameter(description = "Its id; required without tenant")
          @RequestParam(name = "subscription", required = false)
          @Nullable String subscription,
      @Parameter(description = "Its id") @RequestParam(name = "event", required = false)
          @Nullable String event,
      @Parameter(description = "Ordering key") @RequestParam(name = "key", required = false)
          @Nullable String key,
      @Parameter(schema = @Schema(implementation = VerdictCode.class))
          @RequestParam(name = "verdict", required = false)
          @Nullable String verdict,
      @Parameter(
              description = "true leaves out those that were answered 2xx",
              schema = @Schema(type = "boolean"))
          @RequestParam(name = "failed", required = false)
          @Nullable String failed,
      @Parameter(description = "Made at or after this time")
          @RequestParam(name = "from", required = false)
          @Nullable String from,
      @Parameter(description = "Made before this time") @RequestParam(name = "to", required = false)
          @Nullable String to,
      @Parameter(description = "nextCursor of the page before")
          @RequestParam(name = "cursor", required = false)
          @Nullable String cursor,
      @Parameter(description = "1 to 500, 50 when missing")
          @RequestParam(name = "limit", required = false)
          @Nullable Integer limit) {
    PageRequest page = PageRequest.of(cursor, limit);
    AttemptFilter filter =
        AttemptFilter.of(tenant, subscription, event, key, verdict, failed, from, to);
    return attempts.list(filter, page);
  }
}
