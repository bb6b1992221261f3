package dev.seriatim.partition;

/** Hears that some pod has given partitions back, so that the others need not wait for a sweep. */
public interface FreePartitions {

  /** The notification channel on which pods tell it. A hint: sweeps find them as well. */
  String CHANNEL = "seriatim_partition_free";

  /** There may be partitions to claim. Any thread; never blocks. */
  void look();
}
