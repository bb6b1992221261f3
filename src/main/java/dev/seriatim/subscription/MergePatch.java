package dev.seriatim.subscription;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON Merge Patch, RFC 7396, section 2. */
final class MergePatch {

  private MergePatch() {}

  /** The target after the patch; neither argument is changed. */
  static JsonNode apply(JsonNode target, JsonNode patch) {
    if (!(patch instanceof ObjectNode changes)) {
      return patch;
    }
    ObjectNode result =
        target instanceof ObjectNode object
            ? object.deepCopy()
            : JsonNodeFactory.instance.objectNode();
    changes
        .properties()
        .forEach(
            change -> {
              if (change.getValue().isNull()) {
                result.remove(change.getKey());
              } else {
                result.set(change.getKey(), apply(result.path(change.getKey()), change.getValue()));
              }
            });
    return result;
  }
}
