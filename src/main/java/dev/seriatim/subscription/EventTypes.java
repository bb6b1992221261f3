package dev.seriatim.subscription;

import static dev.seriatim.api.ProblemException.invalid;

import dev.seriatim.api.Fields;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which types of events a subscription wants: exact names, {@code prefix.*}, or {@code *}. */
public final class EventTypes {

  private EventTypes() {}

  /**
   * Checks the field {@code eventTypes} of a request.
   *
   * @throws dev.seriatim.api.ProblemException naming the first pattern that is not acceptable
   */
  public static List<String> check(List<@Nullable String> patterns) {
    if (patterns.isEmpty() || patterns.size() > Limits.MAX_EVENT_TYPES) {
      throw invalid(
          "eventTypes",
          "must have 1 to %d entries, it has %d; [\"*\"] wants all"
              .formatted(Limits.MAX_EVENT_TYPES, patterns.size()));
    }
    List<String> checked = new ArrayList<>();
    for (String pattern : patterns) {
      checked.add(check("eventTypes[" + checked.size() + "]", pattern));
    }
    return List.copyOf(checked);
  }

  private static String check(String field, @Nullable String pattern) {
    String name = Fields.name(field, pattern);
    if (name.equals("*")) {
      return name;
    }
    String exact = name.endsWith(".*") ? name.substring(0, name.length() - 2) : name;
    if (exact.isEmpty() || exact.contains("*") || exact.chars().anyMatch(Character::isWhitespace)) {
      throw invalid(
          field,
          "must be the exact name of a type, a prefix such as order.*, or *; without white space");
    }
    return name;
  }

  /**
   * Whether one of the patterns matches: {@code order.*} wants all that begins with {@code order.}.
   */
  static boolean want(List<String> patterns, String eventType) {
    for (String pattern : patterns) {
      if (pattern.equals("*") || pattern.equals(eventType)) {
        return true;
      }
      if (pattern.endsWith(".*")
          && eventType.startsWith(pattern.substring(0, pattern.length() - 1))) {
        return true;
      }
    }
    return false;
  }
}
