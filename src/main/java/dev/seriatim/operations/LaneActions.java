package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import dev.seriatim.subscription.Subscription;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.springframework.stereotype.Component;

/**
 * What operators do with a lane. Each is one transaction under the lane's lock, with an entry in
 * the audit if it changed something; a repeat changes nothing and answers the same. A request that
 * is under way to the receiver is not broken off. Thread-safe; blocks for a few round trips, and
 * for whoever has the lane.
 */
@Component
class LaneActions {

  private final Repairs repairs;
  private final LaneTable table;
  private final LaneQuery lanes;
  private final Audit audit;

  LaneActions(Repairs repairs, LaneTable table, LaneQuery lanes, Audit audit) {
    this.repairs = repairs;
    this.table = table;
    this.lanes = lanes;
    this.audit = audit;
  }

  /**
   * Nothing of it is sent until it is resumed. A lane that a policy holds becomes the operator's;
   * one that an operator has parked already keeps its first reason.
   */
  Lane park(long id, String reason) {
    return change(
        id,
        lane -> {
          if (lane.heldBy() == Lane.HeldBy.OPERATOR) {
            return false;
          }
          table.hold(id, reason);
          audit.record(AuditAction.PARK_LANE, target(id), Map.of("reason", reason));
          return true;
        });
  }

  /**
   * It goes on, whoever held it, and what has failed of it has all of its attempts and its time
   * again.
   */
  Lane resume(long id) {
    return change(
        id,
        lane -> {
          Lane.HeldBy heldBy = lane.heldBy();
          if (heldBy == null) {
            return false;
          }
          table.release(id);
          table.newStart(id);
          audit.record(AuditAction.RESUME_LANE, target(id), Map.of("heldBy", heldBy));
          return true;
        });
  }

  /**
   * Takes exactly this delivery out of line, into the dead letters. If it was that which held the
   * lane, the lane goes on; parked by an operator it stays so.
   *
   * @throws ProblemException (409) when it is not yet the head
   */
  Lane skip(long id, long sequence) {
    return change(
        id,
        lane -> {
          Optional<LaneTable.Head> head = table.head(id);
          if (sequence > head.map(LaneTable.Head::sequence).orElse(lane.lastSequence())) {
            throw notTheHead(id, sequence, head);
          }
          Optional<LaneTable.Head> asked = head.filter(first -> first.sequence() == sequence);
          Optional<Long> letter = asked.flatMap(first -> table.eject(id, sequence));
          if (letter.isEmpty()) {
            return false;
          }
          // What came back ahead of the one that holds the lane, and was never tried, does not.
          if (lane.heldBy() == Lane.HeldBy.POLICY && asked.get().failed()) {
            table.release(id);
          } else {
            table.touch(id);
          }
          audit.record(
              AuditAction.SKIP_HEAD,
              target(id),
              Map.of("sequence", sequence, "deadLetter", letter.get()));
          return true;
        });
  }

  /**
   * Its head is due at once. Attempts and age go on counting.
   *
   * @throws ProblemException (409) when something holds it
   */
  Lane retry(long id) {
    return change(
        id,
        lane -> {
          Optional<LaneTable.Head> head = table.head(id);
          if (lane.heldBy() != null) {
            throw conflict(
                "The lane is held: resume it with POST /v1/lanes/%d/resume".formatted(id));
          }
          head.ifPresent(LaneActions::refuseHeld);
          if (head.isEmpty() || !head.get().waits() || !table.due(id, head.get().sequence())) {
            return false;
          }
          table.touch(id);
          audit.record(
              AuditAction.RETRY_HEAD, target(id), Map.of("sequence", head.get().sequence()));
          return true;
        });
  }

  private Lane change(long id, Predicate<LaneTable.Locked> action) {
    boolean unused =
        repairs.run(
            () -> {
              LaneTable.Locked lane = table.lock(id).orElseThrow(() -> unknown(Long.toString(id)));
              boolean changed = action.test(lane);
              return new Repairs.Outcome<>(changed, changed);
            });
    // After the commit: counting a deep lane takes time, for which publishers would wait.
    return lanes.find(id).orElseThrow(() -> unknown(Long.toString(id)));
  }

  private static void refuseHeld(LaneTable.Head head) {
    if (head.subscriptionState() == Subscription.State.DISABLED) {
      throw conflict(
          "The lane is held because subscription %1$s is disabled: enable it with POST /v1/subscriptions/%1$s/enable"
              .formatted(head.subscription()));
    }
    if (head.pausedReason() != null) {
      throw conflict(
          "Partition %1$d is paused: resume it with POST /v1/partitions/%1$d/resume"
              .formatted(head.partition()));
    }
  }

  private static ProblemException notTheHead(
      long id, long sequence, Optional<LaneTable.Head> head) {
    return conflict(
        head.map(
                first ->
                    "The head of lane %d is sequence %d, not %d: only the head can be skipped"
                        .formatted(id, first.sequence(), sequence))
            .orElseGet(
                () ->
                    "Lane %d has nothing queued and has not had a sequence %d yet"
                        .formatted(id, sequence)));
  }

  private static ProblemException conflict(String detail) {
    return new ProblemException(ProblemType.CONFLICT, detail);
  }

  static ProblemException unknown(String id) {
    return new ProblemException(ProblemType.NOT_FOUND, "There is no lane %s".formatted(id));
  }

  private static String target(long id) {
    return "lane/" + id;
  }
}
