package dev.seriatim.schema;

import org.jspecify.annotations.Nullable;

/** The tables are not as this version needs them, and cannot be made so now. */
public final class SchemaRefusedException extends RuntimeException {

  SchemaRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
