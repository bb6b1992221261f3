package dev.seriatim.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which pods' locks were found free, and since when: a pod is dead when two looks apart by its own
 * takeover grace, and all in between, found the same lock free. Lease thread only.
 */
final class FreeLocks {

  /**
   * @param deadFor how long its lock has been free, at least
   */
  record Dead(String worker, long lock, Duration deadFor) {}

  /**
   * @param since nanoseconds after the first look that found the lock free
   * @param deadAt nanoseconds, when a look that finds it free shows that its pod is dead
   */
  private record Suspect(long since, long deadAt) {}

  /** By the lock's key. */
  private final Map<Long, Suspect> suspects = new HashMap<>();

  /**
   * Takes note of a look.
   *
   * @param began nanoseconds before it
   * @param ended nanoseconds after it
   * @return the pods that are dead by now, each once: if it is still there afterwards, it is looked
   *     at anew
   */
  List<Dead> note(List<LeaseStore.Worker> workers, long began, long ended) {
    List<Dead> dead = new ArrayList<>();
    Set<Long> free =
        workers.stream()
            .filter(LeaseStore.Worker::lockFree)
            .map(LeaseStore.Worker::lock)
            .collect(Collectors.toSet());
    suspects.keySet().retainAll(free);
    for (LeaseStore.Worker worker : workers) {
      Long lock = worker.lock();
      if (lock != null && worker.lockFree()) {
        Suspect suspect =
            suspects.computeIfAbsent(
                lock, key -> new Suspect(ended, ended + worker.takeoverGrace().toNanos()));
        if (began - suspect.deadAt() >= 0) {
          suspects.remove(lock);
          dead.add(new Dead(worker.id(), lock, Duration.ofNanos(began - suspect.since())));
        }
      }
    }
    return dead;
  }

  /** When another look may find a pod dead; nanoseconds. Empty when none is suspected. */
  OptionalLong nextLook() {
    // By difference: nanoseconds may overflow.
    return suspects.values().stream()
        .mapToLong(Suspect::deadAt)
        .reduce((one, other) -> one - other < 0 ? one : other);
  }
}
