package dev.seriatim.subscription;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * What the audit keeps of a change, for longer than the subscription may last: nothing that may be
 * a secret. Of a URL that is all but where it goes, of headers their values. Pure.
 */
final class SubscriptionChange {

  /** Times of the change itself, which say nothing. */
  private static final Set<String> LEFT_OUT = Set.of("createdAt", "updatedAt");

  private SubscriptionChange() {}

  static Map<String, ?> creation(Subscription subscription) {
    return Map.of("tenant", subscription.tenant(), "url", place(subscription.url().toString()));
  }

  static Map<String, ?> enabling(Subscription disabled) {
    String reason = disabled.disabledReason();
    return reason == null ? Map.of() : Map.of("disabledReason", reason);
  }

  /**
   * By the name of each member that differs.
   *
   * @param before as clients read it, and so {@code after}
   */
  static Map<String, ?> between(JsonNode before, JsonNode after) {
    Set<String> names = new TreeSet<>(before.propertyNames());
    names.addAll(after.propertyNames());
    names.removeAll(LEFT_OUT);
    Map<String, Map<String, ?>> changes = new LinkedHashMap<>();
    for (String name : names) {
      JsonNode from = before.path(name);
      JsonNode to = after.path(name);
      if (!from.equals(to)) {
        Map<String, Object> change = new LinkedHashMap<>();
        put(change, "from", name, from);
        put(change, "to", name, to);
        changes.put(name, change);
      }
    }
    return changes;
  }

  private static void put(Map<String, Object> change, String side, String name, JsonNode value) {
    if (!value.isMissingNode()) {
      change.put(side, shown(name, value));
    }
  }

  private static Object shown(String name, JsonNode value) {
    return switch (name) {
      case "url" -> place(value.asString());
      case "headers" -> List.copyOf(value.propertyNames());
      default -> value;
    };
  }

  private static String place(String url) {
    URI uri = URI.create(url);
    return uri.getScheme() + "://" + uri.getRawAuthority();
  }
}
