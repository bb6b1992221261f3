package dev.seriatim.api;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import tools.jackson.core.JacksonException;

/** Puts what Spring MVC refuses into the client's terms. */
final class RequestFaults {

  private RequestFaults() {}

  /** A body that is missing, cut off, or not the JSON that is expected. */
  static ProblemException unreadable(HttpMessageNotReadableException failure) {
    return switch (failure.getCause()) {
      case JacksonException fault -> JsonFaults.explain(fault);
      case null ->
          new ProblemException(ProblemType.INVALID_REQUEST, "The body is missing; it must be JSON");
      default ->
          new ProblemException(
              ProblemType.INVALID_REQUEST, "The body could not be read to its end");
    };
  }

  /** Null when the client has no part in the failure. */
  static @Nullable ProblemException explain(Exception failure) {
    return switch (failure) {
      case MethodArgumentTypeMismatchException mismatch ->
          ProblemException.invalid(
              mismatch.getName(),
              mismatch.getName().equals(PageRequest.LIMIT)
                  ? PageRequest.LIMIT_RANGE
                  : Expected.of(mismatch.getRequiredType()));
      case MissingServletRequestParameterException missing ->
          ProblemException.invalid(missing.getParameterName(), "is required");
      case MissingRequestHeaderException missing ->
          ProblemException.invalid(missing.getHeaderName(), "is required");
      case HttpRequestMethodNotSupportedException method ->
          new ProblemException(
              ProblemType.METHOD_NOT_ALLOWED,
              "%s is not possible here; possible: %s"
                  .formatted(method.getMethod(), allowed(method)));
      case HttpMediaTypeNotSupportedException mediaType ->
          new ProblemException(
              ProblemType.UNSUPPORTED_MEDIA_TYPE,
              "Content type %s is not supported here; supported: %s"
                  .formatted(
                      mediaType.getContentType() == null ? "(none)" : mediaType.getContentType(),
                      mediaType.getSupportedMediaTypes().stream()
                          .map(MediaType::toString)
                          .distinct()
                          .collect(Collectors.joining(", "))));
      case ErrorResponse response -> forStatus(response.getStatusCode());
      default -> null;
    };
  }

  /** The problem that a bare status means; null for a status that is our own fault. */
  static @Nullable ProblemException forStatus(HttpStatusCode status) {
    return switch (status.value()) {
      case 401 -> new ProblemException(ProblemType.UNAUTHORIZED, "A valid API token is needed");
      case 403 -> new ProblemException(ProblemType.FORBIDDEN, "The request is not allowed");
      case 404 ->
          new ProblemException(
              ProblemType.NOT_FOUND, "There is nothing at this path; /v3/api-docs names all paths");
      case 405 ->
          new ProblemException(
              ProblemType.METHOD_NOT_ALLOWED, "The method is not possible at this path");
      case 406 ->
          new ProblemException(
              ProblemType.NOT_ACCEPTABLE, "Accept must allow application/json, which is answered");
      case 413 -> new ProblemException(ProblemType.TOO_LARGE, "The request is too large");
      case 415 ->
          new ProblemException(
              ProblemType.UNSUPPORTED_MEDIA_TYPE, "The content type is not supported here");
      case 503 ->
          new ProblemException(ProblemType.UNAVAILABLE, "Not available now; repeat the request");
      default ->
          status.is4xxClientError()
              ? new ProblemException(
                  ProblemType.INVALID_REQUEST, "The request could not be understood")
              : null;
    };
  }

  private static String allowed(HttpRequestMethodNotSupportedException failure) {
    Set<HttpMethod> methods = failure.getSupportedHttpMethods();
    return methods == null
        ? "nothing"
        : methods.stream().map(HttpMethod::name).sorted().collect(Collectors.joining(", "));
  }
}
