package dev.seriatim.chart;

import java.util.Map;
import java.util.TreeMap;

/** The application's settings as the chart renders them, by their names with dots. */
final class Settings {

  private Settings() {}

  static Map<String, Object> of(Manifests manifests) {
    Map<String, Object> settings = new TreeMap<>();
    collect("", manifests.settings(), settings);
    return settings;
  }

  private static void collect(String path, Map<?, ?> map, Map<String, Object> into) {
    map.forEach(
        (key, value) -> {
          String name = path.isEmpty() ? key.toString() : path + "." + key;
          if (value instanceof Map<?, ?> inner) {
            collect(name, inner, into);
          } else {
            into.put(name, value);
          }
        });
  }
}
