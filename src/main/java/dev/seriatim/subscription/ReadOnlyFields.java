package dev.seriatim.subscription;

import dev.seriatim.api.ProblemException;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Fields that clients read but cannot write, refused with a word about what they can do instead.
 */
final class ReadOnlyFields {

  /** The service decides on them. */
  private static final List<String> ALWAYS =
      List.of("state", "disabledReason", "endpoint", "createdAt", "updatedAt");

  /** They decide which lanes there are, and a lane's history cannot be moved to another. */
  private static final Set<String> AFTER_CREATION = Set.of("id", "tenant", "ordering");

  private ReadOnlyFields() {}

  static void refuseInCreation(JsonNode request) {
    for (String field : ALWAYS) {
      if (request.has(field)) {
        throw ProblemException.invalid(field, "is set by the service; " + remedy(field));
      }
    }
  }

  static void refuseInChange(JsonNode patch) {
    refuseInCreation(patch);
    for (String field : patch.propertyNames()) {
      if (AFTER_CREATION.contains(field)) {
        throw ProblemException.invalid(
            field, "cannot change after creation; create a new subscription instead");
      }
      if (field.equals("secret")) {
        throw ProblemException.invalid(
            field, "cannot be changed here; create a new subscription with the secret instead");
      }
    }
  }

  private static String remedy(String field) {
    return field.equals("state") || field.equals("disabledReason")
        ? "use POST /v1/subscriptions/{id}/enable or /disable"
        : "leave it out";
  }
}
