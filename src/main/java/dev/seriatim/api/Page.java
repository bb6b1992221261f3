package dev.seriatim.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param nextCursor to be given as {@code cursor} for the next page; null on the last one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Page<T>(List<T> items, @Nullable String nextCursor) {

  /**
   * Cuts a page out of what was read.
   *
   * @param rows up to {@link PageRequest#rowsToRead()} rows; the one too many shows that there is a
   *     next page
   * @param key what the list is ordered by, unique in it; {@link PageRequest#after()} of the next
   *     page
   */
  public static <T> Page<T> of(List<T> rows, PageRequest request, Function<T, String> key) {
    if (rows.size() <= request.limit()) {
      return new Page<>(List.copyOf(rows), null);
    }
    List<T> items = List.copyOf(rows.subList(0, request.limit()));
    return new Page<>(items, Cursor.encode(key.apply(items.getLast())));
  }
}
