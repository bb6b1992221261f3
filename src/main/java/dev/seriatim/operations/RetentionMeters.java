package dev.seriatim.operations;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The meters of retention, all under {@code seriatim.retention}. Thread-safe. */
final class RetentionMeters {

  /** What can be deleted. */
  enum What {
    /** A table of the attempt history, with all of its rows. */
    ATTEMPT_DAYS,
    /** Rows of the attempt history that were in no day's table. */
    ATTEMPTS,
    EVENTS,
    DEAD_LETTERS
  }

  private final Map<What, Counter> deleted = new EnumMap<>(What.class);
  private final Counter failures;

  RetentionMeters(MeterRegistry registry) {
    for (What what : What.values()) {
      deleted.put(
          what,
          Counter.builder("seriatim.retention.deleted")
              .description("What this pod deleted because of its age: rows, or tables of a day")
              .tag("what", what.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    failures =
        Counter.builder("seriatim.retention.failures")
            .description("Steps of retention that changed nothing and are tried again")
            .register(registry);
  }

  void deleted(What what, long count) {
    Counter counter = deleted.get(what);
    if (counter == null) {
      throw new IllegalArgumentException(what.name());
    }
    counter.increment(count);
  }

  void failed() {
    failures.increment();
  }
}
