package dev.seriatim.delivery;

import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.TraceContext;
import dev.seriatim.queue.Verdict;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt as a part of its event's trace. What is not ended, because no request went out, is
 * never seen.
 *
 * @param sent what the receiver is to continue, null for nothing
 * @param span of the attempt; one that records nothing where tracing is off
 * @param waited the time in the queue before it, null for none
 */
record AttemptTrace(@Nullable TraceContext sent, Span span, @Nullable Wait waited) {

  /** A span whose end is known. */
  record Wait(Span span, Instant end) {}

  /** Of most attempts where tracing is off: shared, so that it costs nothing. */
  static final AttemptTrace NONE = new AttemptTrace(null, Span.getInvalid(), null);

  /** The request has its verdict. */
  void ended(Exchange exchange) {
    if (span.isRecording()) {
      describe(exchange.verdict(), exchange.address());
    }
    end();
  }

  /** The request may have gone out, and there is no verdict. */
  void brokenOff() {
    failed("BROKEN_OFF");
    end();
  }

  private void describe(Verdict verdict, @Nullable String address) {
    span.setAttribute("seriatim.verdict", verdict.code().name());
    Integer status = verdict.status();
    if (status != null) {
      span.setAttribute("http.response.status_code", status);
    }
    if (address != null) {
      span.setAttribute("network.peer.address", address);
    }
    switch (verdict.code()) {
      case DELIVERED -> {}
      case GONE, REDIRECT, CLIENT_ERROR, SERVER_ERROR -> failed(String.valueOf(status));
      case BLOCKED,
          DNS,
          CONNECT_REFUSED,
          CONNECT_TIMEOUT,
          TLS,
          TIMEOUT,
          CONNECTION_LOST,
          PROTOCOL ->
          failed(verdict.code().name());
    }
  }

  private void failed(String error) {
    span.setAttribute("error.type", error).setStatus(StatusCode.ERROR);
  }

  private void end() {
    if (waited != null) {
      waited.span().end(waited.end());
    }
    span.end();
  }
}
