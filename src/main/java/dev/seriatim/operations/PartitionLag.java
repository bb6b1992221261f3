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
    int partitionCount,
    Instant sampledAt,
    Cluster cluster,
    List<Worker> workers,
    List<Partition> partitions) {

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

  /**
   * What belongs to no partition.
   *
   * @param deadLetters neither replayed nor discarded; counted up to {@link ClusterQuery#MOST}
   * @param unfinishedJobs queued or running
   * @param failedJobs that failed within the last day
   * @param xminAgeSeconds how long the oldest open transaction has kept vacuum from removing what
   *     was deleted since; absent when there is none, or none that this user may see
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Cluster(
      long deadLetters, long unfinishedJobs, long failedJobs, @Nullable Double xminAgeSeconds) {}

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
   * @param unownedSeconds for how long nobody has had it; absent while somebody has
   * @param depth deliveries in the queue, counted up to {@link QueueCounts#MOST_DEEP}
   * @param oldestAgeSeconds age of the oldest of them since it was published; absent when there are
   *     none
   * @param headAgeSeconds how long the head that has been failing longest has been failing, those
   *     that are held left out; absent when none fails
   * @param keys lanes with something in the queue; a delivery without order is in none
   * @param countedAt of what moment {@code depth}, {@code keys} and {@code lanes} are; absent
   *     before the first count, when they are 0
   * @param inFlight attempts under way, as its owner last reported it; absent, as are {@code
   *     deliveredPerSecond} and {@code lastError}, before the first report of an owner
   * @param deliveredPerSecond acknowledged over the interval before that report
   * @param lastError the last attempt that failed since its owner has it; absent when none did
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
      @Nullable Double unownedSeconds,
      long depth,
      @Nullable Double oldestAgeSeconds,
      @Nullable Double headAgeSeconds,
      long keys,
      Lanes lanes,
      @Nullable Instant countedAt,
      @Nullable Integer inFlight,
      @Nullable Double deliveredPerSecond,
      @Nullable LastError lastError) {}

  /**
   * Lanes with something queued, by what they do; each is one of the three. Counted up to {@link
   * QueueCounts#MOST_LANES} in the cluster.
   *
   * @param active whose head goes out as soon as it is its turn
   * @param waiting whose head waits for its next attempt, and that are not held
   * @param held that are held, or whose head's subscription is disabled
   */
  record Lanes(long active, long waiting, long held) {}

  /**
   * An attempt that failed.
   *
   * @param status of the answer, absent without one
   * @param subscription its id
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record LastError(
      String verdict, @Nullable Integer status, @Nullable String subscription, Instant at) {}
}
