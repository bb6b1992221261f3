package dev.seriatim.subscription;

import dev.seriatim.api.Fields;
import dev.seriatim.api.Page;
import dev.seriatim.api.PageRequest;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.JsonNode;

/** {@code /v1/subscriptions}. */
@Tag(name = "Subscriptions")
@RestController
@RequestMapping(path = "/v1/subscriptions", produces = MediaType.APPLICATION_JSON_VALUE)
class SubscriptionController {

  private static final String MERGE_PATCH = "application/merge-patch+json";
  private static final String DEFAULT_REASON = "by operator";

  /**
   * @param reason shown with the subscription and with what it holds
   */
  record Disabling(@Nullable String reason) {}

  private final Subscriptions subscriptions;

  SubscriptionController(Subscriptions subscriptions) {
    this.subscriptions = subscriptions;
  }

  @Operation(summary = "Create a subscription; the secret is shown in this answer only")
  @io.swagger.v3.oas.annotations.parameters.RequestBody(
      content = @Content(schema = @Schema(implementation = SubscriptionBody.class)))
  @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
  @ResponseStatus(HttpStatus.CREATED)
  ResponseEntity<SubscriptionAnswer> create(@RequestBody JsonNode body) {
    SubscriptionAnswer created = subscriptions.create(body);
    return ResponseEntity.created(
            UriComponentsBuilder.fromPath("/v1/subscriptions/{id}").build(created.id()))
        .body(created);
  }

  @Operation(summary = "List subscriptions in the order of their ids")
  @GetMapping
  Page<SubscriptionAnswer> list(
      @RequestParam @Nullable String tenant,
      @RequestParam @Nullable String cursor,
      @RequestParam @Nullable Integer limit) {
    return subscriptions.list(
        tenant == null ? null : Fields.name("tenant", tenant), PageRequest.of(cursor, limit));
  }

  @Operation(summary = "Read a subscription")
  @GetMapping("/{id}")
  SubscriptionAnswer get(@PathVariable String id) {
    return subscriptions.get(id);
  }

  @Operation(
      summary =
          "Change a subscription by a JSON Merge Patch (RFC 7396); null resets to the default")
  @io.swagger.v3.oas.annotations.parameters.RequestBody(
      content = @Content(schema = @Schema(implementation = SubscriptionBody.class)))
  @PatchMapping(
      path = "/{id}",
      consumes = {MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE})
  SubscriptionAnswer change(@PathVariable String id, @RequestBody JsonNode patch) {
    return subscriptions.change(id, patch);
  }

  @Operation(summary = "Delete a subscription and cancel what is queued for it")
  @DeleteMapping("/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void delete(@PathVariable String id) {
    subscriptions.delete(id);
  }

  @Operation(summary = "Enable a subscription; what was held is delivered in order")
  @PostMapping("/{id}/enable")
  SubscriptionAnswer enable(@PathVariable String id) {
    return subscriptions.enable(id);
  }

  @Operation(summary = "Disable a subscription; what is queued for it is held in order")
  @PostMapping("/{id}/disable")
  SubscriptionAnswer disable(
      @PathVariable String id, @RequestBody(required = false) @Nullable Disabling body) {
    return subscriptions.disable(
        id, body == null || body.reason() == null ? DEFAULT_REASON : body.reason());
  }
}
