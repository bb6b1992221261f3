package dev.seriatim;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves tracing out as long as there is nowhere to send spans to. Spring Boot would make and
 * propagate them all the same, at the cost of every request.
 */
final class TracingSwitch implements AutoConfigurationImportFilter, EnvironmentAware {

  /** Also set by {@code OTEL_EXPORTER_OTLP_ENDPOINT} and its like, which Spring Boot maps to it. */
  private static final String ENDPOINT = "management.opentelemetry.tracing.export.otlp.endpoint";

  /** Spans, and logs by OTLP, which would have a thread of their own and get none from us. */
  private static final List<String> PACKAGES =
      List.of(
          "org.springframework.boot.micrometer.tracing.",
          "org.springframework.boot.opentelemetry.autoconfigure.logging.");

  private boolean on;

  @Override
  public void setEnvironment(Environment environment) {
    on = environment.containsProperty(ENDPOINT);
  }

  @Override
  public boolean[] match(
      @Nullable String[] configurations, AutoConfigurationMetadata autoConfigurationMetadata) {
    boolean[] kept = new boolean[configurations.length];
    for (int i = 0; i < kept.length; i++) {
      String name = configurations[i];
      kept[i] = on || name == null || PACKAGES.stream().noneMatch(name::startsWith);
    }
    return kept;
  }
}
