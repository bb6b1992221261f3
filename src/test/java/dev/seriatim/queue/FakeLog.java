package dev.seriatim.queue;

import dev.seriatim.SettableClock;
import dev.seriatim.partition.PartitionLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A partition in memory with PostgreSQL's rules of what is to be seen: a transaction gets its
 * number at its first write, its rows are seen once it has committed, and xmin is the lowest number
 * that is still open.
 */
final class FakeLog extends PartitionLog {

  private final SettableClock clock;
  private final NavigableSet<Place> committed = new TreeSet<>();
  private final Map<Long, List<Place>> open = new TreeMap<>();
  private long nextTx = 100;
  private long nextId = 1;

  /** How long a read takes. */
  Duration readTakes = Duration.ZERO;

  int reads;
  int rowsRead;

  FakeLog(SettableClock clock) {
    super(null, clock);
    this.clock = clock;
  }

  /** Begins a transaction that writes so many rows. */
  long begin(int rows) {
    long tx = nextTx++;
    List<Place> written = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      written.add(new Place(tx, nextId++));
    }
    open.put(tx, written);
    return tx;
  }

  /** One more row of an open transaction, after others have written theirs. */
  void write(long tx) {
    open.get(tx).add(new Place(tx, nextId++));
  }

  List<Place> commit(long tx) {
    List<Place> rows = open.remove(tx);
    committed.addAll(rows);
    return rows;
  }

  void rollBack(long tx) {
    open.remove(tx);
  }

  /** Settles a row: it leaves the queue. */
  void remove(Place place) {
    committed.remove(place);
  }

  NavigableSet<Place> committed() {
    return committed;
  }

  List<Long> open() {
    return List.copyOf(open.keySet());
  }

  /** Whether the poller would find something behind the place. */
  boolean news(Place behind) {
    return committed.higher(behind) != null;
  }

  @Override
  public Page page(PartitionLease lease, Place after, int limit) {
    reads++;
    clock.advance(readTakes);
    List<Delivery> rows =
        committed.tailSet(after, false).stream()
            .limit(limit)
            .map(
                place ->
                    new Delivery(
                        place.tx(),
                        place.id(),
                        0,
                        0,
                        0,
                        0,
                        0,
                        clock.nanos(),
                        null,
                        null,
                        null,
                        null))
            .toList();
    rowsRead += rows.size();
    return new Page(rows, open.isEmpty() ? nextTx : open.keySet().iterator().next());
  }
}
