package dev.seriatim.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Notes what it hears; a release is over when the test says so, or at once. */
final class RecordingOwnership implements Ownership {

  /** What this pod may act on: acquired, and neither given back nor lost. */
  final Map<Integer, PartitionLease> owned = new TreeMap<>();

  final List<PartitionLease> acquired = new ArrayList<>();
  final List<PartitionLease> lost = new ArrayList<>();
  final Map<PartitionLease, CompletableFuture<Void>> releases = new HashMap<>();
  final AtomicInteger suspensions = new AtomicInteger();
  boolean drainsAtOnce = true;

  @Override
  public synchronized void acquired(PartitionLease lease) {
    acquired.add(lease);
    owned.put(lease.partition(), lease);
  }

  @Override
  public synchronized CompletableFuture<Void> release(PartitionLease lease) {
    CompletableFuture<Void> released = new CompletableFuture<>();
    releases.put(lease, released);
    if (drainsAtOnce) {
      drained(lease);
    }
    return released;
  }

  @Override
  public synchronized void lost(PartitionLease lease) {
    lost.add(lease);
    owned.remove(lease.partition(), lease);
  }

  @Override
  public void suspended() {
    suspensions.incrementAndGet();
  }

  /** What was under way for a lease has finished. */
  synchronized void drained(PartitionLease lease) {
    owned.remove(lease.partition(), lease);
    releases.get(lease).complete(null);
  }

  /** What it was asked to give back so far. */
  synchronized List<PartitionLease> releases() {
    return List.copyOf(releases.keySet());
  }

  synchronized int size() {
    return owned.size();
  }
}
