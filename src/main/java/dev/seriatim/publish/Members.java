package dev.seriatim.publish;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The members of one JSON object, each value as the exact bytes that were received. */
final class Members {

  private final Map<String, Slice> values = new LinkedHashMap<>();

  private Members() {}

  /**
   * Reads one JSON text that must be an object, to its end. A byte order mark in front is let pass.
   *
   * @throws ProblemException when it is not one, naming the member where it went wrong
   */
  static Members read(Slice body) {
    Slice json = body.withoutByteOrderMark();
    Json.requireUtf8(json);
    JsonScanner scanner = new JsonScanner(json, Json.MAX_DEPTH);
    Members members = new Members();
    String name = null;
    try {
      if (!scanner.startsWith('{')) {
        throw new ProblemException(
            ProblemType.INVALID_REQUEST,
            scanner.atEnd() ? "The body is empty" : "An event must be a JSON object");
      }
      scanner.expect('{');
      while (scanner.hasNext('}', members.values.isEmpty())) {
        name = Json.text(scanner.name());
        if (members.values.put(name, scanner.value()) != null) {
          throw ProblemException.invalid(Json.shown(name), "is there more than once");
        }
        name = null;
      }
    } catch (MalformedJsonException e) {
      throw Json.problem(name, e);
    }
    if (!scanner.atEnd()) {
      throw new ProblemException(
          ProblemType.INVALID_REQUEST, "There is something after the end of the JSON object");
    }
    return members;
  }

  Set<String> names() {
    return values.keySet();
  }

  /** The bytes of a value, without white space around; null when there is no such member. */
  @Nullable Slice value(String name) {
    return values.get(name);
  }

  /** Whether the member is there and {@code null}. */
  boolean isNull(String name) {
    Slice value = values.get(name);
    return value != null && Json.Kind.of(value) == Json.Kind.NULL;
  }

  /**
   * The text of a member that must be a string. Whether it may be missing is the caller's to say.
   *
   * @return null when there is no such member
   * @throws ProblemException when it is anything else, {@code null} included
   */
  @Nullable String text(String name) {
    Slice value = values.get(name);
    if (value == null) {
      return null;
    }
    Json.Kind kind = Json.Kind.of(value);
    if (kind == Json.Kind.STRING) {
      return Json.text(value);
    }
    throw ProblemException.invalid(name, "must be a string, it is " + kind.description());
  }

  /** The same of a member that may be missing. */
  @Nullable String optionalText(String name) {
    if (isNull(name)) {
      throw ProblemException.invalid(
          name, "must be a string, it is null; leave it out when there is none");
    }
    return text(name);
  }
}
