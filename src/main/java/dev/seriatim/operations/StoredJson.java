package dev.seriatim.operations;

import tools.jackson.databind.json.JsonMapper;

/**
 * What a job remembers between its steps. A mapper of its own, which passes over members that it
 * does not know: what is stored must not change with the settings of the API, and another version
 * may have stored it.
 */
final class StoredJson {

  private static final JsonMapper MAPPER = new JsonMapper();

  private StoredJson() {}

  static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  static <T> T read(String json, Class<T> type) {
    return MAPPER.readValue(json, type);
  }
}
