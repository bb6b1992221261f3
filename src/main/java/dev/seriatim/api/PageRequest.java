package dev.seriatim.api;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which page of a list is wanted.
 *
 * @param after the last key of the page before, null for the first page; it comes from the client,
 *     so it may be any text
 * @param limit items at most, 1 to {@link #MAX_LIMIT}
 */
public record PageRequest(@Nullable String after, int limit) {

  /** Most items of one page. */
  public static final int MAX_LIMIT = 500;

  /** The query parameter. */
  static final String LIMIT = "limit";

  static final String LIMIT_RANGE = "must be a whole number from 1 to " + MAX_LIMIT;

  private static final int DEFAULT_LIMIT = 50;

  /**
   * Reads the query parameters {@code cursor} and {@code limit}.
   *
   * @throws ProblemException when the cursor is not one that a page gave, or the limit is out of
   *     range
   */
  public static PageRequest of(@Nullable String cursor, @Nullable Integer limit) {
    int wanted = limit == null ? DEFAULT_LIMIT : limit;
    if (wanted < 1 || wanted > MAX_LIMIT) {
      throw ProblemException.invalid(LIMIT, LIMIT_RANGE);
    }
    return new PageRequest(cursor == null ? null : Cursor.decode(cursor), wanted);
  }

  /** One more than the page holds, to learn whether there is a next one. */
  public int rowsToRead() {
    return limit + 1;
  }

  /**
   * {@link #after()} of a list that is ordered by a number.
   *
   * @throws ProblemException when the cursor is not one of such a list
   */
  public @Nullable Long afterNumber() {
    return after(Long::valueOf);
  }

  /**
   * {@link #after()} of a list that is ordered by something else than text.
   *
   * @param read throws {@link IllegalArgumentException} for a text that is no key of that list
   * @throws ProblemException when the cursor is not one of such a list
   */
  public <K> @Nullable K after(Function<String, K> read) {
    if (after == null) {
      return null;
    }
    try {
      return read.apply(after);
    } catch (IllegalArgumentException ofAnotherList) {
      throw Cursor.invalid();
    }
  }
}
