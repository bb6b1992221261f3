package dev.seriatim.operations;

import java.util.Optional;

/** Reads ids that are numbers from paths. */
final class PathNumbers {

  private PathNumbers() {}

  /** Empty for anything else, which is the id of nothing. */
  static Optional<Long> read(String id) {
    try {
      return Optional.of(Long.valueOf(id));
    } catch (NumberFormatException anotherId) {
      return Optional.empty();
    }
  }
}
