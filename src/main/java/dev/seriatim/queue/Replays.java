package dev.seriatim.queue;

import dev.seriatim.partition.Partitioner;
import dev.seriatim.queue.LaneNumbers.Advanced;
import dev.seriatim.queue.LaneNumbers.LaneKey;
import dev.seriatim.subscription.OrderingScope;
import dev.seriatim.subscription.Subscription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

  // No "on conflict": under these locks a sequence that is taken would be a fault, and passing it
  // over would lose what has just left the dead letters.
  private static final String INSERT =
      """
      insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk, replay)
      select * from unnest(:partitions::integer[], :ids::bigint[], :lanes::bigint[], :sequences::bigint[],
                           :events::bigint[], :subscriptions::bigint[], :replays::text[])
      """;

  private record Target(long event, long subscription) {
    static Target of(Returning item) {
      return new Target(item.eventPk(), item.subscription().pk());
    }
  }

  private record Row(
      int partition,
      long id,
      @Nullable Long lane,
      @Nullable Long sequence,
      Returning item,
      Replay replay) {}

  private final JdbcClient jdbc;
  private final Partitioner partitioner;
  private final QueueNumbers numbers;
  private final LaneNumbers lanes;

  Replays(JdbcClient jdbc, Partitioner partitioner, QueueNumbers numbers) {
    this.jdbc = jdbc;
    this.partitioner = partitioner;
    this.numbers = numbers;
    this.lanes = new LaneNumbers(jdbc);
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
    return new Result(
        outcomes,
        insert(
            switch (as) {
              case ORIGINAL -> originals(coming);
              case NEW -> copies(coming);
            }));
  }

  private Set<Long> lockEvents(List<Returning> items) {
    return new HashSet<>(
        jdbc.sql(LOCK_EVENTS)
            .param("events", array("bigint", items, Returning::eventPk))
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
            .param("events", array("bigint", items, Returning::eventPk))
            .param("subscriptions", array("bigint", items, item -> item.subscription().pk()))
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
          .param("events", array("bigint", redelivered, Returning::eventPk))
          .param("deliveries", array("bigint", redelivered, item -> original(item).delivery()))
          .update();
    }
  }

  private Set<Integer> insert(List<Row> rows) {
    jdbc.sql(INSERT)
        .param("partitions", array("integer", rows, Row::partition))
        .param("ids", array("bigint", rows, Row::id))
        .param("lanes", array("bigint", rows, Row::lane))
        .param("sequences", array("bigint", rows, Row::sequence))
        .param("events", array("bigint", rows, row -> row.item().eventPk()))
        .param("subscriptions", array("bigint", rows, row -> row.item().subscription().pk()))
        .param("replays", array("text", rows, row -> row.replay().name()))
        .update();
    Set<Integer> partitions = new HashSet<>();
    rows.forEach(row -> partitions.add(row.partition()));
    return partitions;
  }

  private List<Row> originals(List<Returning> items) {
    // Only locked: commit order and order in the lane stay one, also with those who hold or skip.
    advance(items, 0);
    List<Row> rows = new ArrayList<>();
    for (Returning item : items) {
      Returning.Original original = original(item);
      rows.add(
          new Row(
              partition(item.subscription()),
              original.delivery(),
              original.lane(),
              original.sequence(),
              item,
              // A copy keeps the webhook-id that it has as a copy.
              original.copy() ? Replay.NEW : Replay.ORIGINAL));
    }
    return rows;
  }

  private List<Row> copies(List<Returning> items) {
    Map<LaneKey, Advanced> advanced = advance(items, 1);
    List<Long> ids = numbers.reserve(items.size());
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      Returning item = items.get(i);
      LaneKey key = laneKey(item);
      Advanced lane = key == null ? null : Objects.requireNonNull(advanced.get(key));
      rows.add(
          new Row(
              partition(item.subscription()),
              ids.get(i),
              lane == null ? null : lane.id,
              lane == null ? null : lane.next++,
              item,
              Replay.NEW));
    }
    return rows;
  }

  private Map<LaneKey, Advanced> advance(List<Returning> items, long each) {
    SortedMap<LaneKey, Long> counts = LaneNumbers.counts();
    for (Returning item : items) {
      LaneKey key = laneKey(item);
      if (key != null) {
        counts.merge(key, each, Long::sum);
      }
    }
    return lanes.advance(counts);
  }

  /** The contract of the ordering scope, none of whose parts can change. */
  private static @Nullable LaneKey laneKey(Returning item) {
    Subscription subscription = item.subscription();
    return LaneNumbers.key(
        subscription.ordering(),
        subscription.tenant(),
        subscription.pk(),
        subscription.id(),
        item.resource());
  }

  private int partition(Subscription subscription) {
    OrderingScope ordering = subscription.ordering();
    return partitioner.partition(ordering.routingKey(subscription.tenant(), subscription.id()));
  }

  private static Returning.Original original(Returning item) {
    Returning.Original original = item.original();
    if (original == null) {
      throw new IllegalArgumentException("was never routed to the subscription: " + item);
    }
    return original;
  }

  private static SqlArrayValue letters(List<Returning> items) {
    return SqlArray.of(
        "bigint", items.stream().map(Returning::deadLetter).filter(Objects::nonNull).toArray());
  }

  private static <T> SqlArrayValue array(
      String type, List<T> items, Function<T, @Nullable Object> value) {
    return SqlArray.of(type, items.stream().map(value).toArray());
  }
}
