package dev.seriatim.publish;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An event as OpenAPI describes it. Only a description: requests are read by {@link
 * EnvelopeReader}, which never makes an object of the payload.
 */
@Schema(name = "Event")
record EventSchema(
    @Schema(description = "Unique within the tenant; generated when missing", maxLength = 256)
        @Nullable String id,
    @Schema(requiredMode = Schema.RequiredMode.REQUIRED, maxLength = 256) String tenant,
    @Schema(
            description = "Matched by the event types of subscriptions",
            requiredMode = Schema.RequiredMode.REQUIRED,
            maxLength = 256)
        String type,
    @Schema(description = "The ordering key of the scope RESOURCE", maxLength = 256)
        @Nullable String resource,
    @Schema(
            description = "Any JSON value; receivers get its exact bytes",
            requiredMode = Schema.RequiredMode.REQUIRED)
        Object payload) {}
