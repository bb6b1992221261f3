package dev.seriatim.delivery;

import dev.seriatim.queue.EndpointState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long an endpoint has been failing without any success, and how often. No thread-safety: the
 * drainer's.
 */
final class FailingSince {

  private boolean failing;
  private long first;
  private long failures;

  /** Goes on from what a former owner left. */
  void restore(EndpointState former, long now) {
    Duration age = former.failingFor();
    if (age != null) {
      failing = true;
      first = now - age.toNanos();
      failures = former.failures();
    }
  }

  void failed(long now) {
    if (!failing) {
      failing = true;
      first = now;
      failures = 0;
    }
    failures++;
  }

  void succeeded() {
    failing = false;
    failures = 0;
  }

  /** How long ago the first failure was; null while it does not fail. */
  @Nullable Duration age(long now) {
    return failing ? Duration.ofNanos(now - first) : null;
  }

  /** Failures since the last success. */
  long failures() {
    return failures;
  }
}
