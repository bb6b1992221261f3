package dev.seriatim.queue;

import java.util.List;

/** The way into the queue. Thread-safe; blocks until the events are committed. */
public interface Publisher {

  /**
   * Stores the events and queues their deliveries, in the order given, all or none of them, in one
   * transaction that is shared with whatever else is waiting. A call that cannot be stored does not
   * fail the others.
   *
   * @return one result per event, in order
   * @throws TooManyWaitingException when the queue of waiting publishes is full; nothing was stored
   * @throws org.springframework.dao.DataAccessException when the database is away or refuses; the
   *     events may be published again with the same ids without harm
   */
  List<PublishResult> publish(List<NewEvent> events);
}
