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

/**
 * Writes what comes back into the queue: with the number that it had, or as a copy with the next
 * one. The lanes stay locked until the transaction ends. Thread-safe.
 */
final class ReplayWriter {

  // No "on conflict": under these locks a sequence that is taken would be a fault, and passing it
  // over would lose what has just left the dead letters.
  private static final String INSERT =
      """
      insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk, replay)
      select * from unnest(:partitions::integer[], :ids::bigint[], :lanes::bigint[], :sequences::bigint[],
                           :events::bigint[], :subscriptions::bigint[], :replays::text[])
      """;

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

  ReplayWriter(JdbcClient jdbc, Partitioner partitioner, QueueNumbers numbers) {
    this.jdbc = jdbc;
    this.partitioner = partitioner;
    this.numbers = numbers;
    this.lanes = new LaneNumbers(jdbc);
  }

  /**
   * Gives them their places and writes them, in the caller's transaction.
   *
   * @return their partitions
   */
  Set<Integer> insert(List<Returning> items, Replay as) {
    List<Row> rows =
        switch (as) {
          case ORIGINAL -> originals(items);
          case NEW -> copies(items);
        };
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
      Returning.Original original = item.required();
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

  /** One value of each, for {@code unnest}. */
  static <T> SqlArrayValue array(String type, List<T> items, Function<T, @Nullable Object> value) {
    return SqlArray.of(type, items.stream().map(value).toArray());
  }
}
