package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that stops something.
 *
 * @param reason shown with all that it stops; 1 to 1000 characters
 */
record Reason(@Schema(defaultValue = BY_OPERATOR) @Nullable String reason) {

  private static final String BY_OPERATOR = "by operator";
  private static final int MAX_LENGTH = 1000;

  /**
   * What was given, or that it was an operator.
   *
   * @throws ProblemException when it is not a sentence that can be shown
   */
  static String of(@Nullable Reason body) {
    String given = body == null ? null : body.reason();
    if (given == null) {
      return BY_OPERATOR;
    }
    if (given.isBlank()
        || given.length() > MAX_LENGTH
        || given.chars().anyMatch(Character::isISOControl)) {
      throw ProblemException.invalid(
          "reason", "must have 1 to %d characters and no control characters".formatted(MAX_LENGTH));
    }
    return given;
  }
}
