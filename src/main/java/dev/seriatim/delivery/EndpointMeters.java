package dev.seriatim.delivery;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The meters of this pod's endpoints, all under {@code seriatim.endpoints}. Thread-safe. */
@Component
class EndpointMeters {

  private final Map<Breaker.State, AtomicInteger> byState = new EnumMap<>(Breaker.State.class);
  private final Counter gone;
  private final Counter failing;

  EndpointMeters(MeterRegistry registry) {
    for (Breaker.State state : Breaker.State.values()) {
      AtomicInteger count = new AtomicInteger();
      byState.put(state, count);
      Gauge.builder("seriatim.endpoints.breaker", count, AtomicInteger::get)
          .description("Endpoints that this pod sends to, by the state of their circuit breaker")
          .tag("state", state.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
    this.gone = disabled(registry, "gone");
    this.failing = disabled(registry, "failing");
  }

  private static Counter disabled(MeterRegistry registry, String cause) {
    return Counter.builder("seriatim.endpoints.disabled")
        .description("Subscriptions that this pod disabled, by cause")
        .tag("cause", cause)
        .register(registry);
  }

  /** An endpoint goes from a state to another; null where it comes in or goes. */
  void moved(Breaker.@Nullable State from, Breaker.@Nullable State to) {
    byState.forEach(
        (state, count) -> {
          int change = (state == to ? 1 : 0) - (state == from ? 1 : 0);
          if (change != 0) {
            count.addAndGet(change);
          }
        });
  }

  /** It answered 410. */
  void gone() {
    gone.increment();
  }

  /** It failed for too long. */
  void failing() {
    failing.increment();
  }
}
