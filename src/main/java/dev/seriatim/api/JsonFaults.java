package dev.seriatim.api;

import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Says in the client's terms why JSON could not be read: which field, and what would be right. */
final class JsonFaults {

  private JsonFaults() {}

  /** The problem that a failure to read a client's JSON is. */
  static ProblemException explain(JacksonException fault) {
    return switch (fault) {
      case UnrecognizedPropertyException unknown -> unknownField(unknown);
      case InputCoercionException range -> wrongValue(range, range.getTargetType());
      case StreamReadException malformed -> malformed(malformed);
      case MismatchedInputException mismatch -> wrongValue(mismatch, mismatch.getTargetType());
      default -> wrongValue(fault, null);
    };
  }

  private static ProblemException unknownField(UnrecognizedPropertyException fault) {
    Collection<Object> ids = fault.getKnownPropertyIds();
    String known =
        ids == null
            ? ""
            : ids.stream()
                .map(String::valueOf)
                .sorted()
                .collect(Collectors.joining(", ", "; known here: ", ""));
    return ProblemException.invalid(path(fault), "is not a known field" + known);
  }

  private static ProblemException malformed(StreamReadException fault) {
    TokenStreamLocation at = fault.getLocation();
    String where =
        at == null || at.getLineNr() < 1
            ? ""
            : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
    return body("is not valid JSON%s: %s".formatted(where, fault.getOriginalMessage()));
  }

  private static ProblemException wrongValue(JacksonException fault, @Nullable Class<?> type) {
    String path = path(fault);
    if (!path.isEmpty()) {
      return ProblemException.invalid(path, Expected.of(type));
    }
    // Jackson has no type of its own for what DeserializationFeature.FAIL_ON_TRAILING_TOKENS finds.
    boolean trailing = fault.getOriginalMessage().startsWith("Trailing token");
    return body(trailing ? "must be one JSON value with nothing after it" : Expected.of(type));
  }

  private static ProblemException body(String detail) {
    return new ProblemException(ProblemType.INVALID_REQUEST, "The body " + detail);
  }

  private static String path(JacksonException fault) {
    StringBuilder path = new StringBuilder();
    for (JacksonException.Reference step : fault.getPath()) {
      String name = step.getPropertyName();
      if (name == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(name);
      }
    }
    return path.toString();
  }
}
