package dev.seriatim.operations;

import dev.seriatim.operations.RangeEvents.Found;
import dev.seriatim.operations.RangeEvents.Place;
import dev.seriatim.operations.RangeEvents.Wanted;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.Replays;
import dev.seriatim.queue.Returning;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.SubscriptionDirectory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Delivers the events of a time range again. Thread-safe.
 *
 * <p>Order in a lane. Of two transactions that published into the same lane, the second waited for
 * the first to commit before it stored its events: by time of publishing all of the first come
 * before all of the second, as in the lane. Within a transaction the times say nothing, the
 * sequences do. So a page in the order of time that takes in the whole of each transaction, sorted
 * by sequence within each, is in the order of every lane, and no later page has a lower sequence.
 * What a page takes from behind its end is remembered until the pages have come by it.
 */
@Component
class RangeJob implements JobStep {

  /** Delivered again in one step, not counting the rest of the transactions that it ends in. */
  static final int ROWS = 250;

  /** Looked through in one step, whoever they are for. */
  private static final int LOOKED_AT = 5000;

  /**
   * The events of a transaction are stored by one statement; the database ends one that is silent
   * for as long as this.
   */
  static final Duration LONGEST_TRANSACTION = Duration.ofSeconds(5);

  /**
   * @param types patterns that limit the range; null for all
   */
  record Parameters(
      String subscription,
      long pk,
      Instant from,
      Instant to,
      @Nullable List<String> eventTypes,
      Replay as) {

    /**
     * @param subscription the same, as it is now
     */
    Wanted wanted(Subscription subscription) {
      return new Wanted(
          pk,
          subscription.tenant(),
          eventTypes == null ? List.of("*") : eventTypes,
          switch (as) {
            // It has no place in a lane.
            case ORIGINAL -> List.of();
            // It was disabled then, or not there.
            case NEW -> subscription.eventTypes();
          },
          from,
          to);
    }
  }

  /**
   * @param through up to which event all are done
   * @param ahead numbers of the events behind it that are done, too
   */
  record Position(Instant through, long pk, Set<Long> ahead) {
    Place place() {
      return new Place(through, pk);
    }
  }

  private final RangeEvents events;
  private final SubscriptionDirectory subscriptions;
  private final Replays replays;

  RangeJob(RangeEvents events, SubscriptionDirectory subscriptions, Replays replays) {
    this.events = events;
    this.subscriptions = subscriptions;
    this.replays = replays;
  }

  @Override
  public JobKind kind() {
    return JobKind.REDELIVER;
  }

  @Override
  public Piece next(String parameters, @Nullable String position) {
    Parameters asked = StoredJson.read(parameters, Parameters.class);
    Optional<Subscription> subscription =
        subscriptions.load(List.of(asked.pk())).stream()
            .filter(found -> found.state() != Subscription.State.DELETED)
            .findFirst();
    if (subscription.isEmpty()) {
      return new Piece.Impossible(
          "The subscription %s was deleted".formatted(asked.subscription()));
    }
    Wanted wanted = asked.wanted(subscription.get());
    Position before =
        position == null
            ? new Position(wanted.from(), 0, Set.of())
            : StoredJson.read(position, Position.class);
    Optional<Place> looked = events.end(wanted, before.place(), LOOKED_AT);
    List<Found> page = events.list(wanted, before.place(), looked.orElse(null), ROWS);
    Optional<Place> end = page.size() == ROWS ? Optional.of(page.getLast().place()) : looked;
    List<Found> fresh = new ArrayList<>(page);
    fresh.removeIf(found -> before.ahead().contains(found.place().pk()));
    List<Found> rest =
        end.map(last -> restOfTransactions(fresh, wanted, last, before.ahead())).orElse(List.of());
    fresh.addAll(rest);
    Replays.Result result = replays.bringBack(inLaneOrder(fresh, subscription.get()), asked.as());
    long skipped = fresh.size() - result.queued();
    return end.<Piece>map(
            last ->
                new Piece.More(
                    result.queued(),
                    skipped,
                    StoredJson.write(
                        new Position(last.at(), last.pk(), ahead(before.ahead(), page, rest))),
                    result.partitions()))
        .orElseGet(() -> new Piece.Last(result.queued(), skipped, result.partitions()));
  }

  private List<Found> restOfTransactions(
      List<Found> page, Wanted wanted, Place end, Set<Long> done) {
    Set<String> txs = page.stream().map(Found::tx).collect(Collectors.toSet());
    List<Found> rest =
        new ArrayList<>(
            txs.isEmpty()
                ? List.of()
                : events.alsoOf(txs, wanted, end, end.at().plus(LONGEST_TRANSACTION)));
    rest.removeIf(found -> done.contains(found.place().pk()));
    return rest;
  }

  /** Without those that the pages have come by now. */
  private static Set<Long> ahead(Set<Long> before, List<Found> page, List<Found> rest) {
    Set<Long> ahead = new HashSet<>(before);
    page.forEach(found -> ahead.remove(found.place().pk()));
    rest.forEach(found -> ahead.add(found.place().pk()));
    return ahead;
  }

  /** Transaction by transaction, and in each by sequence. */
  private static List<Returning> inLaneOrder(List<Found> found, Subscription subscription) {
    Map<String, Place> first = new HashMap<>();
    for (Found one : found) {
      first.merge(one.tx(), one.place(), (a, b) -> a.compareTo(b) <= 0 ? a : b);
    }
    return found.stream()
        .sorted(
            Comparator.<Found, Place>comparing(one -> first.getOrDefault(one.tx(), one.place()))
                .thenComparing(RangeJob::sequence)
                .thenComparing(Found::place))
        .map(
            one ->
                new Returning(one.place().pk(), one.resource(), subscription, one.original(), null))
        .toList();
  }

  private static long sequence(Found found) {
    Returning.Original original = found.original();
    Long sequence = original == null ? null : original.sequence();
    return sequence == null ? Long.MAX_VALUE : sequence;
  }
}
