package dev.seriatim.playground;

/** A way to bring events to consumers. */
enum Way {
  /** One queue, any free consumer takes the next event; the last write wins. */
  SHARED_QUEUE,
  /** A queue per consumer; the hash of the key says which. */
  HASH_PARTITIONS,
  /** One event of a key at a time, any free consumer: how this service delivers. */
  KEY_LANES,
  /** The shared queue, but a write counts only if its version is higher than what is there. */
  VERSIONED_WRITES;

  Line line(Workload workload) {
    return switch (this) {
      case SHARED_QUEUE, VERSIONED_WRITES -> QueueLine.shared(workload);
      case HASH_PARTITIONS -> QueueLine.partitions(workload);
      case KEY_LANES -> new LaneLine(workload.switches().consumers());
    };
  }

  /** Whether a write of an older version is dropped. */
  boolean versioned() {
    return switch (this) {
      case VERSIONED_WRITES -> true;
      case SHARED_QUEUE, HASH_PARTITIONS, KEY_LANES -> false;
    };
  }
}
