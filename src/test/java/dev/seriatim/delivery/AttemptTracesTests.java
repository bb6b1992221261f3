package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.SpanLog;
import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.DeliveryContent;
import dev.seriatim.queue.EventTrace;
import dev.seriatim.queue.Exchange;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.TraceContext;
import dev.seriatim.queue.Verdict;
import dev.seriatim.queue.VerdictCode;
import dev.seriatim.subscription.Blocks;
import dev.seriatim.subscription.OnExhausted;
import dev.seriatim.subscription.OrderingScope;
import dev.seriatim.subscription.RetryPolicy;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.WebhookSecret;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;

class AttemptTracesTests {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant PUBLISHED = NOW.minus(Duration.ofHours(3));
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "b7ad6b7169203331";
  private static final Exchange OK =
      new Exchange(new Verdict.Delivered(200), Duration.ZERO, "192.0.2.1", null, null, null);

  private final List<SpanData> spans = new ArrayList<>();
  private final Tracer tracer =
      SdkTracerProvider.builder()
          .addSpanProcessor(SimpleSpanProcessor.create(new SpanLog(spans)))
          .setSampler(Sampler.parentBased(Sampler.alwaysOn()))
          .build()
          .get("test");

  @Test
  void withoutTracingNothingIsMadeOfAnEventWithoutATrace() {
    assertThat(begin(null, first(), null)).isSameAs(AttemptTrace.NONE);
    assertThat(AttemptTrace.NONE.sent()).isNull();
    AttemptTrace.NONE.ended(OK);
    AttemptTrace.NONE.brokenOff();
  }

  /** Counted in bytes, of what every delivery passes. */
  @Test
  void withoutTracingAnEventWithoutATraceCostsNoMemory() {
    AttemptTraces traces = traces(null);
    Subscription subscription = subscription();
    Delivery delivery = first();
    DeliveryContent content = content(null);
    var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    int attempts = 10_000;
    long before = thread.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < attempts; i++) {
      traces.begin(subscription, delivery, content).ended(OK);
    }
    // Not even a byte for each; the counting itself may cost some.
    assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(attempts);
  }

  @Test
  void withoutTracingTheReceiverStillGetsAPlaceInTheProducersTrace() {
    TraceContext producer = context("01", "a=1");

    AttemptTraces traces = traces(null);
    DeliveryContent content = content(new EventTrace(producer, PUBLISHED));
    TraceContext sent = traces.begin(subscription(), first(), content).sent();
    TraceContext again = traces.begin(subscription(), retry(), content).sent();

    assertThat(sent.traceparent()).startsWith("00-" + TRACE).endsWith("-01");
    assertThat(sent.tracestate()).isEqualTo("a=1");
    assertThat(List.of(sent, again, producer)).doesNotHaveDuplicates();
  }

  @Test
  void attemptIsASpanInTheProducersTraceAndSoIsTheWaitBeforeIt() {
    AttemptTrace attempt = begin(tracer, first(), context("01", "a=1"));
    assertThat(spans).isEmpty();
    attempt.ended(OK);

    assertThat(spans).extracting(SpanData::getName).containsExactly("queue wait", "POST");
    assertThat(spans)
        .allSatisfy(
            span -> {
              assertThat(span.getTraceId()).isEqualTo(TRACE);
              assertThat(span.getParentSpanId()).isEqualTo(PARENT);
              assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
            });
    SpanData waited = spans.getFirst();
    assertThat(waited.getStartEpochNanos()).isEqualTo(nanos(PUBLISHED));
    assertThat(waited.getEndEpochNanos()).isEqualTo(nanos(NOW));
    SpanData sent = spans.getLast();
    assertThat(sent.getKind()).isEqualTo(SpanKind.CLIENT);
    assertThat(sent.getStartEpochNanos()).isEqualTo(nanos(NOW));
    assertThat(attempt.sent())
        .isEqualTo(TraceContext.parse("00-" + TRACE + "-" + sent.getSpanId() + "-01", "a=1"));
    assertThat(text(sent, "server.address")).isEqualTo("hooks.acme.example");
    assertThat(number(sent, "server.port")).isEqualTo(443);
    assertThat(number(sent, "http.response.status_code")).isEqualTo(200);
    assertThat(text(sent, "network.peer.address")).isEqualTo("192.0.2.1");
    assertThat(text(sent, "seriatim.subscription")).isEqualTo("orders");
    assertThat(text(sent, "seriatim.event.id")).isEqualTo("evt_1");
    assertThat(sent.getAttributes().toString())
        .doesNotContain("secret")
        .doesNotContain("order_7")
        .doesNotContain("payload");
  }

  @Test
  void retryIsOneMoreSpanAndWaitsForNothingNew() {
    begin(tracer, retry(), context("01", null)).ended(failed(VerdictCode.SERVER_ERROR, 503));

    SpanData span = spans.getFirst();
    assertThat(spans).hasSize(1);
    assertThat(number(span, "http.request.resend_count")).isOne();
    assertThat(text(span, "error.type")).isEqualTo("503");
    assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
  }

  @Test
  void failureWithoutAnAnswerIsAnErrorOfItsKind() {
    begin(tracer, retry(), context("01", null)).ended(failed(VerdictCode.TIMEOUT, 200));
    begin(tracer, retry(), context("01", null)).brokenOff();

    assertThat(spans)
        .extracting(span -> text(span, "error.type"))
        .containsExactly("TIMEOUT", "BROKEN_OFF");
  }

  @Test
  void howLongAReplayWaitedDoesNotFollowFromItsEvent() {
    Delivery replay = new Delivery(1, 1, 9, 17, 1, 1, 0, 0L, null, null, Replay.ORIGINAL, null);
    begin(tracer, replay, context("01", null)).ended(OK);

    assertThat(spans).hasSize(1);
    assertThat(text(spans.getFirst(), "seriatim.replay")).isEqualTo("ORIGINAL");
  }

  @Test
  void traceThatIsNotSampledIsContinuedWithoutSpans() {
    AttemptTrace attempt = begin(tracer, first(), context("00", null));
    attempt.ended(OK);

    assertThat(spans).isEmpty();
    assertThat(attempt.sent().traceparent())
        .startsWith("00-" + TRACE)
        .endsWith("-00")
        .doesNotContain(PARENT);
  }

  @Test
  void withTracingAnAttemptWithoutATraceBeginsOne() {
    AttemptTrace attempt = begin(tracer, first(), null);
    attempt.ended(OK);

    assertThat(spans).hasSize(1);
    assertThat(spans.getFirst().getParentSpanContext().isValid()).isFalse();
    assertThat(attempt.sent().traceId()).isEqualTo(spans.getFirst().getTraceId());
  }

  @Test
  void clockThatIsBehindTheDatabasesMakesTheWaitShortNotNegative() {
    DeliveryContent content =
        content(new EventTrace(context("01", null), NOW.plus(Duration.ofSeconds(1))));
    traces(tracer).begin(subscription(), first(), content).ended(OK);

    assertThat(spans.getFirst().getStartEpochNanos()).isEqualTo(nanos(NOW));
    assertThat(spans.getFirst().getEndEpochNanos()).isEqualTo(nanos(NOW));
  }

  private static AttemptTrace begin(
      @Nullable Tracer tracer, Delivery delivery, @Nullable TraceContext producer) {
    return traces(tracer)
        .begin(
            subscription(),
            delivery,
            content(producer == null ? null : new EventTrace(producer, PUBLISHED)));
  }

  private static AttemptTraces traces(@Nullable Tracer tracer) {
    ObjectProvider<Tracer> provider =
        new ObjectProvider<>() {
          @Override
          public Stream<Tracer> stream() {
            return Stream.ofNullable(tracer);
          }

          @Override
          public @Nullable Tracer getIfAvailable() {
            return tracer;
          }
        };
    long[] drawn = {0};
    return new AttemptTraces(provider, Clock.fixed(NOW, ZoneOffset.UTC), () -> drawn[0]++ * 31);
  }

  private static TraceContext context(String flags, @Nullable String state) {
    return Objects.requireNonNull(
        TraceContext.parse("00-" + TRACE + "-" + PARENT + "-" + flags, state));
  }

  private static DeliveryContent content(@Nullable EventTrace trace) {
    return new DeliveryContent(
        "evt_1",
        "order.paid",
        "application/json",
        "order_7",
        "payload".getBytes(StandardCharsets.UTF_8),
        trace);
  }

  private static Delivery first() {
    return new Delivery(1, 1, 9, 17, 1, 1, 0, 0L, null, null, null, null);
  }

  private static Delivery retry() {
    return first().retried(0, 0, null);
  }

  private static Exchange failed(VerdictCode code, Integer status) {
    return new Exchange(
        new Verdict.Failed(code, status, null), Duration.ZERO, null, null, null, null);
  }

  private static Subscription subscription() {
    return new Subscription(
        1,
        "orders",
        "acme",
        URI.create("https://hooks.acme.example/secret?token=secret"),
        List.of("*"),
        OrderingScope.RESOURCE,
        OnExhausted.EJECT,
        Blocks.LANE,
        new RetryPolicy(8, Duration.ofSeconds(5), 4, Duration.ofHours(10), 0.2, Duration.ofDays(3)),
        Duration.ofSeconds(15),
        16,
        null,
        Map.of("X-Api-Key", "secret"),
        List.of(WebhookSecret.of(new byte[32])),
        Subscription.State.ENABLED,
        null,
        NOW,
        NOW);
  }

  private static String text(SpanData span, String name) {
    return span.getAttributes().get(AttributeKey.stringKey(name));
  }

  private static Long number(SpanData span, String name) {
    return span.getAttributes().get(AttributeKey.longKey(name));
  }

  private static long nanos(Instant instant) {
    return TimeUnit.SECONDS.toNanos(instant.getEpochSecond());
  }
}
