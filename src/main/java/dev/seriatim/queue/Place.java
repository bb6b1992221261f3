package dev.seriatim.queue;

/**
 * A place in a partition's queue. Places are ordered by the transaction that published, so rows may
 * still appear below a place that has been read while an older transaction is open.
 *
 * @param tx {@code xid8}, unsigned
 * @param id number of the delivery within it
 */
public record Place(long tx, long id) implements Comparable<Place> {

  /** Before everything. */
  public static final Place START = new Place(0, 0);

  /** Where the delivery stands. */
  public static Place of(Delivery delivery) {
    return new Place(delivery.tx(), delivery.id());
  }

  /** The place right before the first of a transaction. */
  public static Place before(long tx) {
    return new Place(tx, 0);
  }

  /** The place right before this one, so that a read behind it begins with this one. */
  public Place before() {
    return new Place(tx, id - 1);
  }

  /** The place right after this one. */
  public Place after() {
    return new Place(tx, id + 1);
  }

  @Override
  public int compareTo(Place other) {
    int byTx = Long.compareUnsigned(tx, other.tx);
    return byTx != 0 ? byTx : Long.compare(id, other.id);
  }
}
