package dev.seriatim.operations;

import java.util.Optional;

/** Ids in a path that are numbers; anything else is the id of nothing. */
final class PathId {

  private PathId() {}

  static Optional<Long> number(String id) {
    try {
      return Optional.of(Long.valueOf(id));
    } catch (NumberFormatException anotherId) {
      return Optional.empty();
    }
  }
}
