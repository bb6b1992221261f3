package dev.seriatim.queue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One attempt as it went: the verdict and what is kept of the answer for the history. All parts are
 * cut to a bound and safe to store as text (no NUL).
 *
 * @param took from dialling to the last byte read
 * @param address the address actually dialled, null when it did not come to that
 * @param location the {@code Location} of an answer that has one
 * @param responseHeaders one {@code name: value} a line, null without an answer
 * @param responseBody the beginning of the body, null without one
 */
@SuppressWarnings("ArrayRecordComponent") // a value on its way to the database, never compared
public record Exchange(
    Verdict verdict,
    Duration took,
    @Nullable String address,
    @Nullable String location,
    @Nullable String responseHeaders,
    byte @Nullable [] responseBody) {}
