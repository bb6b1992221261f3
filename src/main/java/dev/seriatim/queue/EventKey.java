package dev.seriatim.queue;

import java.util.Comparator;

/** What makes an event the same event. */
record EventKey(String tenant, String id) {

  /** The order in which every pod writes events, so that none waits for another in a circle. */
  static final Comparator<EventKey> ORDER =
      Comparator.comparing(EventKey::tenant).thenComparing(EventKey::id);

  static EventKey of(NewEvent event) {
    return new EventKey(event.tenant(), event.id());
  }
}
