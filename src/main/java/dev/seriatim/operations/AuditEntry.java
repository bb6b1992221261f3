package dev.seriatim.operations;

import dev.seriatim.audit.AuditAction;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import tools.jackson.databind.JsonNode;

/**
 * Something that an operator did.
 *
 * @param id grows from entry to entry
 * @param operator whose token it was; {@code api-token} for the one that has no name, {@code
 *     loopback} where the service has none
 * @param target what it was done to, such as {@code lane/17}
 * @param detail what else there is to know of it; depends on the action
 */
record AuditEntry(
    long id,
    Instant at,
    String operator,
    @Schema(implementation = AuditAction.class) String action,
    String target,
    @Schema(type = "object") JsonNode detail) {}
