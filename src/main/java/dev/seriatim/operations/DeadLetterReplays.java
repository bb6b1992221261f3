package dev.seriatim.operations;

import dev.seriatim.api.PageRequest;
import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.Replays;
import dev.seriatim.queue.Returning;
import dev.seriatim.queue.WakeUps;
import dev.seriatim.subscription.Subscription;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Replays or discards one dead letter. Of two operators at once one does it, and the other is told
 * so. Thread-safe; blocks on the database.
 */
@Component
class DeadLetterReplays {

  // discarded_at   a repeat changes nothing.
  private static final String DISCARD =
      "update dead_letter set discarded_at = clock_timestamp() where id = :id and discarded_at is null";

  private static final String IS_THERE = "select count(*) from dead_letter where id = :id";

  private record Change(ReplayedLetter answer, Set<Integer> partitions) {}

  private final JdbcClient jdbc;
  private final Repeatable transaction;
  private final DeadLetterRows letters;
  private final Replays replays;
  private final Audit audit;
  private final AuditQuery past;
  private final WakeUps wakeUps;

  DeadLetterReplays(
      JdbcClient jdbc,
      Repeatable transaction,
      DeadLetterRows letters,
      Replays replays,
      Audit audit,
      AuditQuery past,
      WakeUps wakeUps) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.letters = letters;
    this.replays = replays;
    this.audit = audit;
    this.past = past;
    this.wakeUps = wakeUps;
  }

  ReplayedLetter replay(long id, Replay as) {
    Change change = transaction.execute(() -> replayLocked(id, as));
    wakeUps.wake(change.partitions());
    return change.answer();
  }

  private Change replayLocked(long id, Replay as) {
    Optional<Returning> letter = letters.find(id);
    if (letter.isEmpty()) {
      return already(id);
    }
    if (letter.get().subscription().state() == Subscription.State.DELETED) {
      throw conflict(
          "The subscription of dead letter %d was deleted: it cannot be delivered any more", id);
    }
    Replays.Result result = replays.bringBack(List.of(letter.get()), as);
    return switch (result.outcomes().getFirst()) {
      case QUEUED -> {
        audit.record(AuditAction.REPLAY_DEAD_LETTER, target(id), Map.of("as", as));
        yield new Change(new ReplayedLetter(id, as, null), result.partitions());
      }
      case STILL_QUEUED ->
          throw conflict(
              "The event of dead letter %d is queued for its subscription already; replay it when that is delivered",
              id);
      // Somebody was faster.
      case GONE -> already(id);
    };
  }

  /** Hides it for good; the event then says so. */
  void discard(long id) {
    transaction.execute(
        () -> {
          if (jdbc.sql(DISCARD).param("id", id).update() > 0) {
            audit.record(AuditAction.DISCARD_DEAD_LETTER, target(id), Map.of());
          } else if (jdbc.sql(IS_THERE).param("id", id).query(Long.class).single() == 0) {
            throw last(AuditAction.REPLAY_DEAD_LETTER, id)
                .map(
                    replay ->
                        conflict(
                            "Dead letter %d was replayed by %s at %s: it cannot be discarded any more",
                            id, replay.operator(), replay.at()))
                .orElseGet(() -> unknown(id));
          }
          return id;
        });
  }

  private Change already(long id) {
    return last(AuditAction.REPLAY_DEAD_LETTER, id)
        .map(replay -> new Change(before(id, replay), Set.<Integer>of()))
        .orElseThrow(
            () ->
                last(AuditAction.DISCARD_DEAD_LETTER, id)
                    .map(
                        discard ->
                            conflict(
                                "Dead letter %d was discarded by %s at %s; deliver its event again instead",
                                id, discard.operator(), discard.at()))
                    .orElseGet(() -> unknown(id)));
  }

  private static ReplayedLetter before(long id, AuditEntry replay) {
    return new ReplayedLetter(
        id,
        Replay.valueOf(replay.detail().get("as").asString()),
        new ReplayedLetter.Before(replay.operator(), replay.at()));
  }

  private Optional<AuditEntry> last(AuditAction action, long id) {
    return past
        .list(new AuditFilter(target(id), null, action, null, null), new PageRequest(null, 1))
        .stream()
        .findFirst();
  }

  private static String target(long id) {
    return "dead-letter/" + id;
  }

  private static ProblemException conflict(String detail, Object... values) {
    return new ProblemException(ProblemType.CONFLICT, detail.formatted(values));
  }

  /** Jobs leave no entry for each of what they replay. */
  static ProblemException unknown(Object id) {
    return new ProblemException(
        ProblemType.NOT_FOUND,
        "There is no dead letter %s; if there was, a job or a redelivery of its event replayed it, or retention deleted it"
            .formatted(id));
  }
}
