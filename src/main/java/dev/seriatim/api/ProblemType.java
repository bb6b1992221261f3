package dev.seriatim.api;

import org.springframework.http.HttpStatus;

/**
 * The kinds of problem (RFC 9457) that the API answers, each with a page under {@code /problems/}
 * that explains it.
 */
public enum ProblemType {
  INVALID_REQUEST(HttpStatus.BAD_REQUEST, "The request is not valid"),
  UNAUTHORIZED(HttpStatus.UNAUTHORIZED, "A valid API token is needed"),
  FORBIDDEN(HttpStatus.FORBIDDEN, "The request is not allowed"),
  NOT_FOUND(HttpStatus.NOT_FOUND, "There is no such thing"),
  METHOD_NOT_ALLOWED(HttpStatus.METHOD_NOT_ALLOWED, "The method is not allowed here"),
  NOT_ACCEPTABLE(HttpStatus.NOT_ACCEPTABLE, "The answer is not available in that form"),
  CONFLICT(HttpStatus.CONFLICT, "It contradicts what is already there"),
  TOO_LARGE(HttpStatus.CONTENT_TOO_LARGE, "The request is too large"),
  UNSUPPORTED_MEDIA_TYPE(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "The content type is not supported"),
  TOO_MANY_REQUESTS(HttpStatus.TOO_MANY_REQUESTS, "Too much is waiting"),
  INTERNAL(HttpStatus.INTERNAL_SERVER_ERROR, "Something went wrong here"),
  UNAVAILABLE(HttpStatus.SERVICE_UNAVAILABLE, "The database is away");

  private final HttpStatus status;
  private final String title;

  ProblemType(HttpStatus status, String title) {
    this.status = status;
    this.title = title;
  }

  /** The HTTP status that goes with it. */
  public HttpStatus status() {
    return status;
  }

  /** One short line, the same for every occurrence. */
  public String title() {
    return title;
  }

  /** The stable {@code type} URI, relative to the service: {@code /problems/invalid-request}. */
  public String uri() {
    return "/problems/" + slug();
  }

  /** The last segment of {@link #uri()}. */
  public String slug() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }
}
