package dev.seriatim.api;

import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Binds JSON that a client sent, after it was read as a tree. Thread-safe. */
@Component
public class StrictJson {

  private final JsonMapper mapper;

  StrictJson(JsonMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * @throws ProblemException naming the path of the first field that is unknown or of a wrong type
   */
  public <T> T read(JsonNode json, Class<T> type) {
    if (!json.isObject()) {
      throw new ProblemException(ProblemType.INVALID_REQUEST, "The body must be a JSON object");
    }
    try {
      return mapper.treeToValue(json, type);
    } catch (JacksonException fault) {
      throw JsonFaults.explain(fault);
    }
  }

  /** The tree of what we would answer. */
  public JsonNode write(Object value) {
    return mapper.valueToTree(value);
  }
}
