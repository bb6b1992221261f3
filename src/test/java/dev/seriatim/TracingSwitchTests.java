package dev.seriatim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class TracingSwitchTests {

  private static final String TRACING =
      "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration";
  private static final String OTHER =
      "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration";

  @Test
  void tracingNeedsSomewhereToSendSpansTo() {
    assertThat(kept(new MockEnvironment())).containsExactly(false, true, true);
    assertThat(
            kept(
                new MockEnvironment()
                    .withProperty(
                        "management.opentelemetry.tracing.export.otlp.endpoint", "http://x")))
        .containsExactly(true, true, true);
  }

  private static boolean[] kept(MockEnvironment environment) {
    TracingSwitch filter = new TracingSwitch();
    filter.setEnvironment(environment);
    // Spring passes null for what another filter has left out.
    return filter.match(new String[] {TRACING, OTHER, null}, null);
  }
}
