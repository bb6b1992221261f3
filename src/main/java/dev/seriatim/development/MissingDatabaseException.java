package dev.seriatim.development;

/** The service cannot start because it has no database; the message says what to do about it. */
final class MissingDatabaseException extends RuntimeException {

  private static final long serialVersionUID = 1;

  MissingDatabaseException(String message) {
    super(message);
  }

  MissingDatabaseException(String message, Throwable cause) {
    super(message, cause);
  }
}
