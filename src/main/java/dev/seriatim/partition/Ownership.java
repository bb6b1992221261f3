package dev.seriatim.partition;

import java.util.concurrent.CompletableFuture;

/**
 * Hears what this pod owns. Called from the lease thread, one call at a time, but for {@link
 * #suspended}; must not block.
 */
public interface Ownership {

  /** The partition is this pod's from now on. */
  void acquired(PartitionLease lease);

  /**
   * The partition is to be given back: start nothing new, let what is under way finish and be
   * recorded.
   *
   * @return completes when nothing is under way any more; the lease is renewed until then
   */
  CompletableFuture<Void> release(PartitionLease lease);

  /**
   * The partition may be somebody else's already: stop at once, abort what is under way, record
   * nothing.
   */
  void lost(PartitionLease lease);

  /**
   * Other pods may take this one for dead before it can reach the database again: no request may go
   * on. Nothing is lost yet. What has been answered may still be recorded, which the epoch fences,
   * and requests start again by themselves once the leases are {@linkplain PartitionLease#trusted
   * trusted} again. Any thread.
   */
  void suspended();
}
