package dev.seriatim.api;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * Answers every failure of a request as a problem. What the client can mend is told to the client;
 * what it cannot is logged here and told to nobody.
 */
@RestControllerAdvice
class ProblemAdvice {

  /** How long a client should wait when the database is away: long enough for a failover to end. */
  private static final String RETRY_AFTER_SECONDS = "1";

  private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

  @ExceptionHandler
  ResponseEntity<Problem> refused(ProblemException refusal, HttpServletRequest request) {
    return answer(refusal, HttpHeaders.EMPTY, request);
  }

  @ExceptionHandler
  ResponseEntity<Problem> unreadable(
      HttpMessageNotReadableException failure, HttpServletRequest request) {
    return answer(RequestFaults.unreadable(failure), HttpHeaders.EMPTY, request);
  }

  /** The client has gone: there is nobody to answer. */
  @ExceptionHandler
  void gone(AsyncRequestNotUsableException failure) {
    log.debug("The client closed the connection", failure);
  }

  @ExceptionHandler
  @Nullable ResponseEntity<Problem> anythingElse(Exception failure, HttpServletRequest request) {
    if (DatabaseOutage.causes(failure)) {
      return unavailable(failure, request);
    }
    if (hasGone(failure)) {
      log.debug("The client closed the connection", failure);
      return null;
    }
    ProblemException refusal = RequestFaults.explain(failure);
    if (refusal != null) {
      return answer(refusal, headers(failure), request);
    }
    log.error("{} {} failed", request.getMethod(), request.getRequestURI(), failure);
    return answer(
        new ProblemException(
            ProblemType.INTERNAL,
            "The request failed for a reason that the log of the service tells"),
        HttpHeaders.EMPTY,
        request);
  }

  /** In the middle of the answer: there is nobody to tell, and nothing is wrong here. */
  private static boolean hasGone(Exception failure) {
    return (failure instanceof HttpMessageNotWritableException || failure instanceof IOException)
        && DisconnectedClientHelper.isClientDisconnectedException(failure);
  }

  private static ResponseEntity<Problem> unavailable(
      Exception failure, HttpServletRequest request) {
    log.warn(
        "{} {} failed, the database is away: {}",
        request.getMethod(),
        request.getRequestURI(),
        NestedExceptionUtils.getMostSpecificCause(failure).toString());
    HttpHeaders headers = new HttpHeaders();
    headers.set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
    return answer(
        new ProblemException(
            ProblemType.UNAVAILABLE,
            "The database does not answer; repeat the request in a moment"),
        headers,
        request);
  }

  /** For example Allow with 405 and Accept with 415. */
  private static HttpHeaders headers(Exception failure) {
    return failure instanceof ErrorResponse response ? response.getHeaders() : HttpHeaders.EMPTY;
  }

  private static ResponseEntity<Problem> answer(
      ProblemException refusal, HttpHeaders headers, HttpServletRequest request) {
    HttpStatusCode status = refusal.type().status();
    return ResponseEntity.status(status)
        .headers(headers)
        .contentType(MediaType.parseMediaType(Problem.MEDIA_TYPE))
        .body(Problem.of(refusal, request.getRequestURI()));
  }
}
