package dev.seriatim.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.TraceContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class ProducerTraceTests {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final TraceContext PRODUCER = context(TRACE, "aaaaaaaaaaaaaaaa");
  private static final TraceContext LATER = context(TRACE, "bbbbbbbbbbbbbbbb");
  private static final TraceContext OTHER =
      context("11111111111111111111111111111111", "cccccccccccccccc");

  @Test
  void headersOfTheRequestAreTheTrace() {
    MockHttpServletRequest request = request(PRODUCER.traceparent());
    request.addHeader("tracestate", "a=1");
    request.addHeader("tracestate", "b=2");

    assertThat(ProducerTrace.of(request))
        .isEqualTo(new TraceContext(PRODUCER.traceparent(), "a=1,b=2"));
  }

  @Test
  void malformedMissingOrAmbiguousHeadersAreNone() {
    assertThat(ProducerTrace.of(request())).isNull();
    assertThat(ProducerTrace.of(request("what"))).isNull();
    assertThat(ProducerTrace.of(request(PRODUCER.traceparent(), LATER.traceparent()))).isNull();
  }

  @Test
  void spanOfTheRequestComesBeforeItsHeaders() {
    try (Scope ignored = Span.fromContext(LATER.parent()).makeCurrent()) {
      assertThat(ProducerTrace.of(request(PRODUCER.traceparent()))).isEqualTo(LATER);
    }
  }

  @Test
  void requestContinuesTheTraceOfAnEventAndLeavesAnotherOneAlone() {
    assertThat(continued(null, null)).isNull();
    assertThat(continued(null, LATER)).isEqualTo(LATER);
    assertThat(continued(PRODUCER, null)).isEqualTo(PRODUCER);
    assertThat(continued(PRODUCER, LATER)).isEqualTo(LATER);
    assertThat(continued(PRODUCER, OTHER)).isEqualTo(PRODUCER);
  }

  @Test
  void traceIsNoPartOfWhatMakesARepeat() {
    NewEvent event = event(PRODUCER);
    assertThat(event.in(OTHER).fingerprint()).isEqualTo(event.fingerprint());
  }

  private static @Nullable TraceContext continued(
      @Nullable TraceContext events, @Nullable TraceContext requests) {
    return ProducerTrace.continued(event(events), requests).trace();
  }

  private static NewEvent event(@Nullable TraceContext trace) {
    return new NewEvent("acme", "e1", "t", null, "application/json", new byte[0], trace);
  }

  private static MockHttpServletRequest request(String... traceparents) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    for (String traceparent : traceparents) {
      request.addHeader("traceparent", traceparent);
    }
    return request;
  }

  private static TraceContext context(String trace, String parent) {
    return Objects.requireNonNull(TraceContext.parse("00-" + trace + "-" + parent + "-01", null));
  }
}
