package dev.seriatim.operations;

import dev.seriatim.operations.DeadLetterRows.Found;
import dev.seriatim.operations.DeadLetterRows.Line;
import dev.seriatim.queue.Replay;
import dev.seriatim.queue.Replays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Replays the dead letters of a filter, lane by lane in sequence: so no step ever brings back a
 * lower sequence of a lane than one before. What is given up again meanwhile is left alone.
 * Thread-safe.
 */
@Component
class DeadLetterJob implements JobStep {

  /** Replayed in one step. */
  static final int ROWS = 500;

  /** Looked through in one step, of whatever filter. */
  private static final int LOOKED_AT = 5000;

  /**
   * @param upTo the newest dead letter when it was asked for
   */
  record Parameters(DeadLetterFilter filter, Replay as, long upTo) {}

  private final DeadLetterRows letters;
  private final Replays replays;

  DeadLetterJob(DeadLetterRows letters, Replays replays) {
    this.letters = letters;
    this.replays = replays;
  }

  @Override
  public JobKind kind() {
    return JobKind.REPLAY_DEAD_LETTERS;
  }

  @Override
  public Piece next(String parameters, @Nullable String position) {
    Parameters wanted = StoredJson.read(parameters, Parameters.class);
    Line after = position == null ? Line.START : StoredJson.read(position, Line.class);
    Optional<Line> end = letters.end(after, wanted.upTo(), LOOKED_AT);
    List<Found> page = letters.list(wanted.filter(), after, end.orElse(null), wanted.upTo(), ROWS);
    Replays.Result result =
        replays.bringBack(page.stream().map(Found::returning).toList(), wanted.as());
    long skipped = page.size() - result.queued();
    Optional<Line> next = page.size() == ROWS ? Optional.of(page.getLast().line()) : end;
    return next.<Piece>map(
            line ->
                new Piece.More(
                    result.queued(), skipped, StoredJson.write(line), result.partitions()))
        .orElseGet(() -> new Piece.Last(result.queued(), skipped, result.partitions()));
  }
}
