package dev.seriatim.operations;

/**
 * Which pod reports what of a sample, so that the meters of all pods together tell everything once:
 * a partition is its owner's; the cluster, and what nobody owns, is the owner's of the lowest
 * partition that has one. Pods agree as far as their samples do: at a hand-over two may report the
 * same, or none, for an interval. Pure.
 */
final class Reporters {

  private Reporters() {}

  /**
   * Whether a pod reports the cluster. If nothing is owned all do: something told several times
   * over is better than nothing at the worst of times.
   */
  static boolean ofCluster(PartitionLag lag, String self) {
    return lag.partitions().stream()
        .map(PartitionLag.Partition::owner)
        .filter(owner -> owner != null)
        .findFirst()
        .map(self::equals)
        .orElse(true);
  }

  static boolean of(PartitionLag lag, PartitionLag.Partition partition, String self) {
    String owner = partition.owner();
    return owner == null ? ofCluster(lag, self) : owner.equals(self);
  }
}
