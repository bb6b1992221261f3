package dev.seriatim;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.springframework.context.annotation.Bean;

/**
 * Where spans go to in tests, from all pods of this JVM. As a source of the service's context it
 * makes itself its exporter.
 */
public final class SpanLog implements SpanExporter {

  private static final SpanLog LOG = new SpanLog(new CopyOnWriteArrayList<>());

  private final List<SpanData> spans;

  /** One that is for itself. */
  public SpanLog(List<SpanData> spans) {
    this.spans = spans;
  }

  /** Settings of a service whose spans come here; there is no collector at the endpoint. */
  public static String[] settings() {
    return new String[] {
      "spring.main.sources=" + SpanLog.Source.class.getName(),
      "management.opentelemetry.tracing.export.otlp.endpoint=http://localhost:1/v1/traces",
      "management.tracing.export.otlp.enabled=false",
      "management.opentelemetry.tracing.export.schedule-delay=20ms",
      "management.tracing.sampling.probability=1"
    };
  }

  public static List<SpanData> spans(Predicate<SpanData> which) {
    return LOG.spans.stream().filter(which).toList();
  }

  public static void clear() {
    LOG.spans.clear();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> ended) {
    spans.addAll(ended);
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }

  /** Not annotated, so that only those who name it get it. */
  static final class Source {
    @Bean
    static SpanExporter spanLog() {
      return LOG;
    }
  }
}
