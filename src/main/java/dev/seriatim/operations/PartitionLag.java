package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far behind each partition of the cluster is, as of one moment.
 *
 * @param sampledAt the database's time of that moment
 * @param workers the pods, by name
 */
record PartitionLag(
    int partitionCount, Instant sampledAt, List<Worker> workers, List<Partition> partitions) {

  /** Who moves it on: the pod's heartbeat, or others who find it dead. */
  enum CrashDetection {
    /** By its advisory lock: others take over within seconds. */
    LOCK,
    /** Its leases have to run out; a pooler stands between, or the takeover grace is 0. */
    LEASE
  }

  /**
   * A pod that was heard of within the last lease time.
   *
   * @param seenAt its last heartbeat, which comes with each renewal
   * @param partitions how many it owns
   */
  record Worker(
      String worker,
      Instant startedAt,
      Instant seenAt,
      CrashDetection crashDetection,
      long partitions) {}

  /** Who moves it on: the lease of a pod, which lasts or runs out; a policy or an operator. */
  enum State {
    /** A pod has it and drains it. */
    ACTIVE,
    /** A pod has it and sends nothing of it until it is resumed. */
    PAUSED,
    /** No pod has it; another takes it within a sweep or two. It may be paused besides. */
    UNOWNED;

    static State of(boolean owned, boolean paused) {
      if (!owned) {
        return UNOWNED;
      }
      return paused ? PAUSED : ACTIVE;
    }
  }

  /**
   * @param pausedReason absent, as is {@code pausedSince}, unless it is paused
   * @param owner name of the pod that has it
   * @param epoch how often it has been acquired, by whomever
   * @param ownedSince when its owner acquired it
   * @param renewedAt when its owner last renewed the lease
   * @param depth deliveries in the queue
   * @param oldestAgeSeconds age of the oldest of them since it was published; absent when there are
   *     none
   * @param headAgeSeconds how long the head that has been failing longest has been failing; absent
   *     when none fails
   * @param keys lanes with something in the queue; a delivery without order counts as one
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Partition(
      int partition,
      State state,
      @Nullable String pausedReason,
      @Nullable Instant pausedSince,
      @Nullable String owner,
      long epoch,
      @Nullable Instant ownedSince,
      @Nullable Instant renewedAt,
      long depth,
      @Nullable Double oldestAgeSeconds,
      @Nullable Double headAgeSeconds,
      long keys,
      Lanes lanes) {}

  /**
   * @param waiting lanes whose head waits for its next attempt and that are not held
   * @param held lanes that are held, or have deliveries of a disabled subscription
   */
  record Lanes(long waiting, long held) {}
}
