package dev.seriatim.queue;

import dev.seriatim.partition.Partitioner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.stereotype.Component;

/**
 * Brings deliveries back into the queue. Of one event nothing comes back for a subscription for
 * which something of it is queued already, so that a request that is made twice, or by two at once,
 * has it sent once. Thread-safe.
 *
 * <p>Locks, in this order: the events, by number, which keeps others who bring them back and
 * retention away; the dead letters; the lanes, in the order in which publishing locks them. A
 * deadlock with another kind of change ends the transaction, which can be repeated.
 */
@Component
public class Replays {

  /** What became of one of them. */
  public enum Outcome {
    /** It is in the queue. */
    QUEUED,
    /** Something of the event was in the queue for this subscription; nothing was changed. */
    STILL_QUEUED,
    /** The event or the dead letter is not there any more; nothing was changed. */
    GONE
  }

  /**
   * @param outcomes in the order of what was asked for
   * @param partitions to be woken after the commit
   */
  public record Result(List<Outcome> outcomes, Set<Integer> partitions) {

    /** How many are in the queue now. */
    public long queued() {
      return outcomes.stream().filter(outcome -> outcome == Outcome.QUEUED).count();
    }
  }

  // no key update   enough against retention, which locks for update, and against each other;
  // whoever only refers to an event does not wait.
  private static final String LOCK_EVENTS =
      "select pk from event where pk = any (:events::bigint[]) order by pk for no key update";

  // Its own look at the queue, begun under the locks.
  private static final String QUEUED =
      """
      select distinct d.event_pk, d.subscription_pk
      from unnest(:events::bigint[], :subscriptions::bigint[]) as w (event_pk, subscription_pk)
      join delivery d on d.event_pk = w.event_pk and d.subscription_pk = w.subscription_pk
      """;

  // discarded_at   one that was discarded meanwhile stays.
  private static final String LOCK_DEAD_LETTERS =
      """
      select id from dead_letter
      where id = any (:ids::bigint[]) and discarded_at is null
      order by id
      for update
      """;

  private static final String REMOVE_DEAD_LETTERS =
      "delete from dead_letter where id = any (:ids::bigint[])";

  // In the queue and in the dead letters at once is nothing. Discarded ones are asked for again.
  private static final String REMOVE_THEIR_DEAD_LETTERS =
      """
      delete from dead_letter l
      using (
        select d.id
        from unnest(:events::bigint[], :deliveries::bigint[]) as w (event_pk, delivery_id)
        join dead_letter d on d.event_pk = w.event_pk and d.delivery_id = w.delivery_id
        order by d.id
        for update of d
      ) found
      where l.id = found.id
      """;

  private record Target(long event, long subscription) {
    static Target of(Returning item) {
      return new Target(item.eventPk(), item.subscription().pk());
    }
  }

  private final JdbcClient jdbc;
  private final ReplayWriter writer;

  Replays(JdbcClient jdbc, Partitioner partitioner, QueueNumbers numbers) {
    this.jdbc = jdbc;
    this.writer = new ReplayWriter(jdbc, partitioner, numbers);
  }

  /**
   * Must be called in a transaction, after whose commit {@link WakeUps#wake} is due. Blocks for a
   * few round trips and for others who hold the locks.
   *
   * @param items of subscriptions that are not deleted; copies join a lane in this order
   */
  public Result bringBack(List<Returning> items, Replay as) {
    Set<Long> events = lockEvents(items);
    Set<Long> letters = lockDeadLetters(items);
    Set<Target> taken = queued(items);
    List<Outcome> outcomes = new ArrayList<>();
    List<Returning> coming = new ArrayList<>();
    for (Returning item : items) {
      Long letter = item.deadLetter();
      if (!events.contains(item.eventPk()) || (letter != null && !letters.contains(letter))) {
        outcomes.add(Outcome.GONE);
      } else if (taken.add(Target.of(item))) {
        outcomes.add(Outcome.QUEUED);
        coming.add(item);
      } else {
        outcomes.add(Outcome.STILL_QUEUED);
      }
    }
    if (coming.isEmpty()) {
      return new Result(outcomes, Set.of());
    }
    removeDeadLetters(coming, as);
    return new Result(outcomes, writer.insert(coming, as));
  }

  private Set<Long> lockEvents(List<Returning> items) {
    return new HashSet<>(
        jdbc.sql(LOCK_EVENTS)
            .param("events", ReplayWriter.array("bigint", items, Returning::eventPk))
            .query(Long.class)
            .list());
  }

  private Set<Long> lockDeadLetters(List<Returning> items) {
    return new HashSet<>(
        jdbc.sql(LOCK_DEAD_LETTERS).param("ids", letters(items)).query(Long.class).list());
  }

  private Set<Target> queued(List<Returning> items) {
    return new HashSet<>(
        jdbc.sql(QUEUED)
            .param("events", ReplayWriter.array("bigint", items, Returning::eventPk))
            .param(
                "subscriptions",
                ReplayWriter.array("bigint", items, item -> item.subscription().pk()))
            .query(
                (row, number) ->
                    new Target(row.getLong("event_pk"), row.getLong("subscription_pk")))
            .list());
  }

  private void removeDeadLetters(List<Returning> items, Replay as) {
    jdbc.sql(REMOVE_DEAD_LETTERS).param("ids", letters(items)).update();
    if (as == Replay.ORIGINAL) {
      List<Returning> redelivered =
          items.stream().filter(item -> item.deadLetter() == null).toList();
      jdbc.sql(REMOVE_THEIR_DEAD_LETTERS)
          .param("events", ReplayWriter.array("bigint", redelivered, Returning::eventPk))
          .param(
              "deliveries",
              ReplayWriter.array("bigint", redelivered, item -> item.required().delivery()))
          .update();
    }
  }

  private static SqlArrayValue letters(List<Returning> items) {
    return SqlArray.of(
        "bigint", items.stream().map(Returning::deadLetter).filter(Objects::nonNull).toArray());
  }
}
