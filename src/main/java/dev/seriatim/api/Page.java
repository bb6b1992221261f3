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
      return ending(rows, null);
    }
    List<T> items = rows.subList(0, request.limit());
    return ending(items, key.apply(items.getLast()));
  }

  /**
   * A page of items that were chosen already.
   *
   * @param end the key after which the list goes on; null on the last page
   */
  public static <T> Page<T> ending(List<T> items, @Nullable String end) {
    return new Page<>(List.copyOf(items), end == null ? null : Cursor.encode(end));
  }
}
