package dev.seriatim.publish;

import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.TraceContext;
import io.opentelemetry.api.trace.Span;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which trace an event belongs to (W3C Trace Context; CloudEvents' distributed tracing extension).
 */
final class ProducerTrace {

  private ProducerTrace() {}

  /**
   * That of a request: its span where tracing is on, which continues what the headers say, and
   * otherwise the headers themselves. A malformed one is none.
   */
  static @Nullable TraceContext of(HttpServletRequest request) {
    TraceContext own = TraceContext.of(Span.current());
    if (own != null) {
      return own;
    }
    List<String> parents = headers(request, TraceContext.TRACEPARENT);
    // Sent twice, it could be either.
    return parents.size() == 1
        ? TraceContext.parse(
            parents.getFirst(), String.join(",", headers(request, TraceContext.TRACESTATE)))
        : null;
  }

  private static List<String> headers(HttpServletRequest request, String name) {
    return Collections.list(request.getHeaders(name));
  }

  /**
   * The event in the trace of its request, which comes after its own in the same trace. What it
   * says of another trace, of an event that came a long way, stays.
   */
  static NewEvent continued(NewEvent event, @Nullable TraceContext request) {
    TraceContext own = event.trace();
    return request == null || (own != null && !own.traceId().equals(request.traceId()))
        ? event
        : event.in(request);
  }
}
