package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.DeliveryContent;
import dev.seriatim.queue.EventTrace;
import dev.seriatim.queue.TraceContext;
import dev.seriatim.subscription.Subscription;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/**
 * Continues the traces in which events were published with their attempts, hours later and on other
 * pods as well: each attempt is a span below the one of the publishing request. Where tracing is
 * off, receivers of an event with a trace get a new place in it, and nothing else is done.
 * Thread-safe.
 */
@Component
class AttemptTraces {

  /** Null: tracing is off. */
  private final @Nullable Tracer tracer;

  private final Clock clock;
  private final RandomGenerator random;

  AttemptTraces(ObjectProvider<Tracer> tracer, Clock clock, RandomGenerator random) {
    this.tracer = tracer.getIfAvailable();
    this.clock = clock;
    this.random = random;
  }

  /** For an attempt that is about to be made; nothing is to be seen of it until it has ended. */
  AttemptTrace begin(Subscription subscription, Delivery delivery, DeliveryContent content) {
    EventTrace trace = content.trace();
    if (tracer == null) {
      return trace == null
          ? AttemptTrace.NONE
          : new AttemptTrace(trace.context().child(id()), Span.getInvalid(), null);
    }
    Instant now = clock.instant();
    SpanBuilder builder =
        tracer.spanBuilder("POST").setSpanKind(SpanKind.CLIENT).setStartTimestamp(now);
    Span span =
        (trace == null ? builder.setNoParent() : builder.setParent(trace.context().parent()))
            .startSpan();
    if (!span.isRecording()) {
      return new AttemptTrace(TraceContext.of(span), span, null);
    }
    describe(span, subscription, delivery, content);
    return new AttemptTrace(TraceContext.of(span), span, waited(tracer, delivery, trace, now));
  }

  /** 0 is no id. */
  private long id() {
    long id = random.nextLong();
    return id == 0 ? 1 : id;
  }

  /**
   * Names of OpenTelemetry's conventions for HTTP clients, except the path of the URL, which may be
   * a secret. Keys are the producers' affair as well.
   */
  private static void describe(
      Span span, Subscription subscription, Delivery delivery, DeliveryContent content) {
    URI url = subscription.url();
    span.setAttribute("http.request.method", "POST")
        .setAttribute("server.address", Objects.requireNonNullElse(url.getHost(), ""))
        .setAttribute("server.port", port(url))
        .setAttribute("seriatim.tenant", subscription.tenant())
        .setAttribute("seriatim.subscription", subscription.id())
        .setAttribute("seriatim.event.id", content.eventId())
        .setAttribute("seriatim.attempt", delivery.attempts() + 1L);
    if (delivery.attempts() > 0) {
      span.setAttribute("http.request.resend_count", delivery.attempts());
    }
    if (delivery.ordered()) {
      span.setAttribute("seriatim.sequence", delivery.sequence());
    }
    if (delivery.replay() != null) {
      span.setAttribute("seriatim.replay", delivery.replay().name());
    }
  }

  private static int port(URI url) {
    return url.getPort() >= 0 ? url.getPort() : url.getScheme().equals("https") ? 443 : 80;
  }

  /**
   * The wait in the queue until the first attempt. How long a replay has waited does not follow
   * from its event.
   *
   * @return null when it is not known
   */
  private static AttemptTrace.@Nullable Wait waited(
      Tracer tracer, Delivery delivery, @Nullable EventTrace trace, Instant now) {
    if (trace == null || delivery.attempts() > 0 || delivery.replay() != null) {
      return null;
    }
    // Its end is by this machine's clock, its start by the database's.
    Instant start = trace.publishedAt().isBefore(now) ? trace.publishedAt() : now;
    Span span =
        tracer
            .spanBuilder("queue wait")
            .setParent(trace.context().parent())
            .setStartTimestamp(start)
            .startSpan();
    return new AttemptTrace.Wait(span, now);
  }
}
