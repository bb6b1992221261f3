package dev.seriatim.partition;

/** Partitions that become free, between the pods: a hint, since sweeps find them as well. */
public interface FreePartitions {

  /** Another pod has given partitions back. Any thread; never blocks. */
  void look();

  /**
   * What to do when this pod has given partitions back, or freed those of a dead one.
   *
   * @param listener runs on the lease thread; must not block
   */
  void onFreed(Runnable listener);
}
