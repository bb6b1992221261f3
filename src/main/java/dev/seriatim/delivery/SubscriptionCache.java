package dev.seriatim.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.SubscriptionDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The subscriptions that this pod sends to, as they were at the last {@link #refresh}: a change is
 * heard of within one poll interval.
 *
 * <p>Concurrency: thread-safe. Reads from the database take turns: one that was under way while a
 * refresh looked could bring back what the refresh knew to be old, and no later one would look
 * again. {@link #get} never waits.
 */
@Component
class SubscriptionCache {

  private final SubscriptionDirectory directory;
  private final Map<Long, Subscription> known = new ConcurrentHashMap<>();
  private final ReentrantLock reads = new ReentrantLock();

  /** Changes of transactions below this are in {@code known}. */
  @GuardedBy("reads")
  private @Nullable Long xmin;

  SubscriptionCache(SubscriptionDirectory directory) {
    this.directory = directory;
  }

  /** Reads those that are not known yet, in one statement; blocks only if there are any. */
  void require(Collection<Long> pks) {
    List<Long> missing = pks.stream().filter(pk -> !known.containsKey(pk)).distinct().toList();
    if (missing.isEmpty()) {
      return;
    }
    reads.lock();
    try {
      if (xmin == null) {
        // Before the first of them is read: what changes from now on will be named.
        xmin = directory.changedSince(null).snapshotXmin();
      }
      directory
          .load(missing)
          .forEach(subscription -> known.putIfAbsent(subscription.pk(), subscription));
    } finally {
      reads.unlock();
    }
  }

  /** One that was required before. */
  Subscription get(long pk) {
    Subscription subscription = known.get(pk);
    if (subscription == null) {
      throw new IllegalStateException("subscription " + pk + " was not required before");
    }
    return subscription;
  }

  /** Reads one again, whatever is known of it. */
  void reload(long pk) {
    reads.lock();
    try {
      directory.load(List.of(pk)).forEach(fresh -> known.put(fresh.pk(), fresh));
    } finally {
      reads.unlock();
    }
  }

  /** Reads again what has changed since the last call. @return those that did */
  Set<Long> refresh() {
    reads.lock();
    try {
      return refreshLocked();
    } finally {
      reads.unlock();
    }
  }

  @GuardedBy("reads")
  private Set<Long> refreshLocked() {
    SubscriptionDirectory.Changes changes = directory.changedSince(xmin);
    List<Long> stale = new ArrayList<>();
    for (Long pk : changes.pks()) {
      if (known.containsKey(pk)) {
        stale.add(pk);
      }
    }
    Set<Long> changed = new HashSet<>();
    if (!stale.isEmpty()) {
      for (Subscription fresh : directory.load(stale)) {
        Subscription former = known.put(fresh.pk(), fresh);
        if (former == null || !former.updatedAt().equals(fresh.updatedAt())) {
          changed.add(fresh.pk());
        }
      }
    }
    xmin = changes.snapshotXmin();
    return changed;
  }
}
