package dev.seriatim.queue;

import org.jspecify.annotations.Nullable;

/**
 * What a receiver gets of a delivery.
 *
 * @param key the ordering key of its lane; null for the ordering scope {@code NONE}
 * @param payload the bytes as they were published; not copied
 * @param trace that it was published in; null for none
 */
@SuppressWarnings("ArrayRecordComponent") // a value on its way to a socket, never compared
public record DeliveryContent(
    String eventId,
    String type,
    String contentType,
    @Nullable String key,
    byte[] payload,
    @Nullable EventTrace trace) {}
