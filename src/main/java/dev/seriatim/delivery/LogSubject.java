package dev.seriatim.delivery;

import dev.seriatim.queue.Delivery;
import dev.seriatim.queue.DeliveryContent;
import dev.seriatim.queue.TraceContext;
import dev.seriatim.subscription.Subscription;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What a line of the log is about, as fields of structured logs: names and numbers, never payloads
 * or secrets. One attempt's; not thread-safe.
 */
final class LogSubject {

  private final Delivery delivery;
  private @Nullable Subscription subscription;
  private @Nullable String eventId;
  private @Nullable String key;
  private @Nullable TraceContext trace;

  LogSubject(Delivery delivery) {
    this.delivery = delivery;
  }

  /** Once they are known; before, lines go without. */
  void known(Subscription newSubscription, DeliveryContent content, AttemptTrace attempt) {
    subscription = newSubscription;
    // Not the content as a whole: a payload must not stay in memory for the sake of its names.
    eventId = content.eventId();
    key = content.key();
    trace = attempt.sent();
  }

  LoggingEventBuilder on(LoggingEventBuilder line) {
    LoggingEventBuilder more = line.addKeyValue("delivery", delivery.id());
    if (subscription != null) {
      more = of(subscription, more);
    }
    if (eventId != null) {
      more = more.addKeyValue("eventId", eventId);
    }
    if (delivery.ordered()) {
      more =
          more.addKeyValue("lane", delivery.laneId()).addKeyValue("sequence", delivery.sequence());
    }
    if (key != null) {
      more = more.addKeyValue("key", key);
    }
    return trace == null ? more : more.addKeyValue("traceId", trace.traceId());
  }

  /** A line about all that is sent to one endpoint. */
  static LoggingEventBuilder of(Subscription subscription, LoggingEventBuilder line) {
    return line.addKeyValue("tenant", subscription.tenant())
        .addKeyValue("subscription", subscription.id());
  }
}
