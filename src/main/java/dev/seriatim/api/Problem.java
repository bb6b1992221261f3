package dev.seriatim.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The body of every refusal, and of every refused item in a batch (RFC 9457).
 *
 * @param type stable URI of the kind of problem, relative to the service, which serves a page there
 * @param title the same for every problem of this type
 * @param status the HTTP status, repeated
 * @param detail what is wrong here and what would be right
 * @param instance the path that was requested; null for an item of a batch
 * @param field path of the offending field as the client wrote it, null when it is not about one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(
    String type,
    String title,
    int status,
    String detail,
    @Nullable String instance,
    @Nullable String field) {

  /** The media type of a problem as the only body of an answer. */
  public static final String MEDIA_TYPE = "application/problem+json";

  /** What the client reads of a refusal. */
  public static Problem of(ProblemException refusal, @Nullable String instance) {
    ProblemType type = refusal.type();
    return new Problem(
        type.uri(),
        type.title(),
        type.status().value(),
        refusal.detail(),
        instance,
        refusal.field());
  }
}
