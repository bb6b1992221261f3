package dev.seriatim.operations;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Samples made by hand. */
final class Lags {

  private static final Instant AT = Instant.parse("2026-01-31T12:00:00Z");

  private Lags() {}

  /** Of a cluster of four pods. */
  static PartitionLag of(PartitionLag.Partition... partitions) {
    List<PartitionLag.Worker> workers =
        IntStream.range(0, 4)
            .mapToObj(
                i ->
                    new PartitionLag.Worker(
                        "pod-" + (char) ('a' + i), AT, AT, PartitionLag.CrashDetection.LOCK, 1))
            .toList();
    return new PartitionLag(
        partitions.length,
        AT,
        new PartitionLag.Cluster(0, 0, 0, null),
        workers,
        List.of(partitions));
  }

  static PartitionLag.Partition owned(int partition, String owner) {
    return partition(partition, owner, null, null, 0, null, null);
  }

  static PartitionLag.Partition unowned(int partition, @Nullable Double seconds) {
    return partition(partition, null, null, seconds, 0, null, null);
  }

  static PartitionLag.Partition paused(int partition) {
    return partition(partition, "pod-a", "why", null, 0, null, null);
  }

  static PartitionLag.Partition deep(int partition, @Nullable String owner, long depth) {
    return partition(partition, owner, null, owner == null ? 0.1 : null, depth, null, null);
  }

  static PartitionLag.Partition aged(
      int partition, long depth, @Nullable Double oldestAge, @Nullable Double headAge) {
    return partition(partition, "pod-a", null, null, depth, oldestAge, headAge);
  }

  private static PartitionLag.Partition partition(
      int partition,
      @Nullable String owner,
      @Nullable String paused,
      @Nullable Double unowned,
      long depth,
      @Nullable Double oldestAge,
      @Nullable Double headAge) {
    return new PartitionLag.Partition(
        partition,
        PartitionLag.State.of(owner != null, paused != null),
        paused,
        paused == null ? null : AT,
        owner,
        1,
        owner == null ? null : AT,
        owner == null ? null : AT,
        unowned,
        depth,
        oldestAge,
        headAge,
        1,
        new PartitionLag.Lanes(1, 0, 0),
        AT,
        null,
        null,
        null);
  }
}
