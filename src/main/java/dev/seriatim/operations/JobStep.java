package dev.seriatim.operations;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a kind of job does a bounded piece of its work. */
interface JobStep {

  /** What a step came to. */
  sealed interface Piece {

    /**
     * There may be more.
     *
     * @param position JSON, with which the next step is called
     * @param partitions to be woken after the commit
     */
    record More(long done, long skipped, String position, Set<Integer> partitions)
        implements Piece {}

    /** It was the last one. */
    record Last(long done, long skipped, Set<Integer> partitions) implements Piece {}

    /**
     * The job can never go on.
     *
     * @param reason for a person
     */
    record Impossible(String reason) implements Piece {}
  }

  JobKind kind();

  /**
   * Does the next piece, in the caller's transaction, which also stores the position: either both
   * are there after a crash or neither. No two transactions are in the same job.
   *
   * @param parameters JSON, as it was stored with the job
   * @param position null for the first piece
   */
  Piece next(String parameters, @Nullable String position);
}
