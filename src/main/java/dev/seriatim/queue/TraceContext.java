package dev.seriatim.queue;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A place in a trace, as the headers of W3C Trace Context carry it. Made by {@link #parse} and
 * {@link #of} only, which let nothing pass that must not be sent on.
 *
 * @param traceparent version 00, lower case, with no flags but sampled and random
 * @param tracestate at most 512 characters, null for none
 */
public record TraceContext(String traceparent, @Nullable String tracestate) {

  /** The header of the trace, of the parent in it, and of its flags. */
  public static final String TRACEPARENT = "traceparent";

  /** The header of what tracing systems keep for themselves. */
  public static final String TRACESTATE = "tracestate";

  private static final int VERSION_END = 2;
  private static final int TRACE = 3;
  private static final int TRACE_END = 35;
  private static final int PARENT = 36;
  private static final int PARENT_END = 52;
  private static final int FLAGS = 53;
  private static final int LENGTH = 55;

  /** Sampled (level 1) and random (level 2); others must not be sent on. */
  private static final int KNOWN_FLAGS = 0b11;

  private static final W3CTraceContextPropagator PROPAGATOR =
      W3CTraceContextPropagator.getInstance();

  private static final TextMapGetter<TraceContext> GETTER =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(TraceContext carrier) {
          return List.of(TRACEPARENT, TRACESTATE);
        }

        @Override
        public @Nullable String get(@Nullable TraceContext carrier, String key) {
          if (carrier == null) {
            return null;
          }
          return key.equals(TRACEPARENT) ? carrier.traceparent : carrier.tracestate;
        }
      };

  /**
   * Reads the headers as the specification says: a malformed {@code traceparent} counts as none, a
   * malformed {@code tracestate} is left out. Of a version that is not known yet the part that is
   * known is used.
   *
   * @return null where there is no valid one
   */
  public static @Nullable TraceContext parse(
      @Nullable String traceparent, @Nullable String tracestate) {
    if (traceparent == null || !wellFormed(traceparent)) {
      return null;
    }
    int flags = HexFormat.fromHexDigits(traceparent, FLAGS, LENGTH) & KNOWN_FLAGS;
    return new TraceContext(
        "00" + traceparent.substring(VERSION_END, FLAGS) + "0" + flags,
        TraceState.bounded(tracestate));
  }

  private static boolean wellFormed(String text) {
    return text.length() >= LENGTH
        && hex(text, 0, VERSION_END)
        && !text.startsWith("ff")
        && (text.length() == LENGTH || (!text.startsWith("00") && text.charAt(LENGTH) == '-'))
        && text.charAt(VERSION_END) == '-'
        && identifies(text, TRACE, TRACE_END)
        && text.charAt(TRACE_END) == '-'
        && identifies(text, PARENT, PARENT_END)
        && text.charAt(PARENT_END) == '-'
        && hex(text, FLAGS, LENGTH);
  }

  /** Hexadecimal digits that are not all zero. */
  private static boolean identifies(String text, int from, int to) {
    return hex(text, from, to) && text.chars().skip(from).limit(to - from).anyMatch(c -> c != '0');
  }

  private static boolean hex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }

  /**
   * That of a span.
   *
   * @return null where there is none
   */
  public static @Nullable TraceContext of(Span span) {
    if (!span.getSpanContext().isValid()) {
      return null;
    }
    Map<String, String> headers = new HashMap<>();
    PROPAGATOR.inject(
        Context.root().with(span),
        headers,
        (carrier, name, value) -> {
          if (carrier != null) {
            carrier.put(name, value);
          }
        });
    return parse(headers.get(TRACEPARENT), headers.get(TRACESTATE));
  }

  /** The trace's own id, 32 hexadecimal digits. */
  public String traceId() {
    return traceparent.substring(TRACE, TRACE_END);
  }

  /**
   * The same with another parent.
   *
   * @param id not 0
   */
  public TraceContext child(long id) {
    return new TraceContext(
        traceparent.substring(0, PARENT)
            + HexFormat.of().toHexDigits(id)
            + traceparent.substring(PARENT_END),
        tracestate);
  }

  /** What a span begins in that continues it. */
  public Context parent() {
    return PROPAGATOR.extract(Context.root(), this, GETTER);
  }
}
