package dev.seriatim.api;

import org.jspecify.annotations.Nullable;

/** Ends a request with a problem (RFC 9457). Nothing of the request is stored. */
public final class ProblemException extends RuntimeException {

  private final ProblemType type;
  private final @Nullable String field;

  /**
   * @param detail what is wrong here and what would be right, for a person; no secrets
   */
  public ProblemException(ProblemType type, String detail) {
    this(type, null, detail);
  }

  private ProblemException(ProblemType type, @Nullable String field, String detail) {
    super(detail);
    this.type = type;
    this.field = field;
  }

  /**
   * A field is not acceptable.
   *
   * @param field its path as the client wrote it, for example {@code retry.maxAttempts}
   * @param detail what would be right, for example {@code must be a whole number from 1 to 100};
   *     the field's name is put in front
   */
  public static ProblemException invalid(String field, String detail) {
    return new ProblemException(ProblemType.INVALID_REQUEST, field, field + " " + detail);
  }

  public ProblemType type() {
    return type;
  }

  /** The offending field, for the problem's {@code field} member; null when it is not about one. */
  public @Nullable String field() {
    return field;
  }

  /** What is wrong here and what would be right. */
  public String detail() {
    return String.valueOf(getMessage());
  }
}
