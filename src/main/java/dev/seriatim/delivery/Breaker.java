package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.queue.EndpointState;
import dev.seriatim.subscription.EndpointSettings;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breaker of one endpoint.
 *
 * <pre>
 *   CLOSED --too many of the last verdicts are failures--> OPEN --its time is over--> HALF_OPEN
 *     ^                                                     ^                            |  |
 *     |                                                     +------the probe fails-------+  |
 *     +---------------------------------the probe succeeds----------------------------------+
 * </pre>
 *
 * <p>While it is half-open one request at a time goes out, the probe: the head whose turn it is. A
 * request that was under way when the circuit opened says nothing any more. A probe that was not
 * sent, or whose verdict says nothing of the endpoint, leaves its place to the next.
 *
 * <p>Counting is resilience4j's; the time is given, so nothing runs by itself. No thread-safety:
 * the drainer's.
 */
final class Breaker {

  /** As shown and metered. */
  enum State {
    CLOSED,
    OPEN,
    HALF_OPEN
  }

  private static final long NONE = Long.MIN_VALUE;

  /** What the circuit is told of a failure; without a stack trace, which nobody reads. */
  private static final Exception FAILURE = new FailedVerdict();

  private final EndpointSettings.Breaker settings;
  private final MonotonicClock clock;

  /** From the first failure on: most endpoints never need its window. */
  private @Nullable CircuitBreaker circuit;

  private int openings;
  private long until;

  /** The number of the delivery that is the probe under way. */
  private long probe = NONE;

  Breaker(EndpointSettings.Breaker settings, MonotonicClock clock) {
    this.settings = settings;
    this.clock = clock;
  }

  private CircuitBreaker newCircuit() {
    return CircuitBreaker.of(
        "endpoint",
        CircuitBreakerConfig.custom()
            .slidingWindow(
                settings.window(),
                settings.minimumAttempts(),
                CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
            .failureRateThreshold(settings.failureRate())
            .permittedNumberOfCallsInHalfOpenState(1)
            .currentTimestampFunction(_ -> clock.nanos(), TimeUnit.NANOSECONDS)
            .build());
  }

  /** Goes on from where a former owner was. */
  void restore(EndpointState former, long now) {
    openings = former.openings();
    if (former.open()) {
      Duration wait = former.shutFor();
      circuit = newCircuit();
      circuit.transitionToOpenState();
      until = now + (wait == null ? 0 : wait.toNanos());
    }
  }

  State state(long now) {
    if (circuit == null) {
      return State.CLOSED;
    }
    return switch (circuit.getState()) {
      case OPEN -> until - now > 0 ? State.OPEN : State.HALF_OPEN;
      case HALF_OPEN -> State.HALF_OPEN;
      case CLOSED, DISABLED, FORCED_OPEN, METRICS_ONLY -> State.CLOSED;
    };
  }

  /** While it is open: when it is half-open. */
  long until() {
    return until;
  }

  int openings() {
    return openings;
  }

  /** Must not be called while it is open. */
  void started(long delivery, long now) {
    if (circuit == null || state(now) == State.CLOSED) {
      return;
    }
    if (circuit.getState() == CircuitBreaker.State.OPEN) {
      circuit.transitionToHalfOpenState();
    }
    if (probe != NONE || !circuit.tryAcquirePermission()) {
      throw new IllegalStateException("a second probe while the circuit is half-open");
    }
    probe = delivery;
  }

  /** The request did not go out, or its verdict says nothing of the endpoint. */
  void passed(long delivery) {
    if (circuit != null && probe == delivery) {
      probe = NONE;
      circuit.releasePermission();
    }
  }

  /**
   * The verdict of a request. @return whether the circuit opened, again or for the first time, or
   * closed by it
   */
  boolean landed(long delivery, boolean well, long now) {
    if (circuit == null) {
      if (well) {
        return false;
      }
      circuit = newCircuit();
    }
    CircuitBreaker.State before = circuit.getState();
    if (before != CircuitBreaker.State.CLOSED && probe != delivery) {
      return false;
    }
    probe = NONE;
    if (well) {
      circuit.onSuccess(0, TimeUnit.NANOSECONDS);
    } else {
      circuit.onError(0, TimeUnit.NANOSECONDS, FAILURE);
    }
    CircuitBreaker.State after = circuit.getState();
    if (after == before) {
      return false;
    }
    if (after == CircuitBreaker.State.OPEN) {
      until = now + settings.openFor(++openings).toNanos();
    } else {
      openings = 0;
    }
    return true;
  }

  private static final class FailedVerdict extends Exception {
    FailedVerdict() {
      super("failed", null, false, false);
    }
  }
}
