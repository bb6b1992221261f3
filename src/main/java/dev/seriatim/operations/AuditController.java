package dev.seriatim.operations;

import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import dev.seriatim.audit.AuditAction;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows who did what. */
@RestController
@Tag(name = "Audit")
class AuditController {

  private final AuditQuery audit;

  AuditController(AuditQuery audit) {
    this.audit = audit;
  }

  @Operation(summary = "What operators did, newest first")
  @GetMapping(path = "/v1/audit", produces = MediaType.APPLICATION_JSON_VALUE)
  Page<AuditEntry> list(
      @Parameter(description = "What it was done to, such as lane/17")
          @RequestParam(name = "target", required = false)
          @Nullable String target,
      @Parameter(description = "Whose token it was")
          @RequestParam(name = "operator", required = false)
          @Nullable String operator,
      @Parameter(schema = @Schema(implementation = AuditAction.class))
          @RequestParam(name = "action", required = false)
          @Nullable String action,
      @Parameter(description = "Done at or after this time")
          @RequestParam(name = "from", required = false)
          @Nullable String from,
      @Parameter(description = "Done before this time") @RequestParam(name = "to", required = false)
          @Nullable String to,
      @Parameter(description = "nextCursor of the page before")
          @RequestParam(name = "cursor", required = false)
          @Nullable String cursor,
      @Parameter(description = "1 to 500, 50 when missing")
          @RequestParam(name = "limit", required = false)
          @Nullable Integer limit) {
    PageRequest page = PageRequest.of(cursor, limit);
    AuditFilter filter = AuditFilter.of(target, operator, action, from, to);
    return Page.of(audit.list(filter, page), page, entry -> Long.toString(entry.id()));
  }
}
