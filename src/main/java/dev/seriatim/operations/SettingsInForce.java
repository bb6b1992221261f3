package dev.seriatim.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBean;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The settings {@code seriatim.*} as they are in force in this pod, the usual ones as well. What
 * they mean is told by the metadata that editors use. Secrets never leave. Thread-safe.
 */
@Component
class SettingsInForce {

  private static final String PREFIX = "seriatim.";
  private static final String SECRETS = "seriatim.security.";
  private static final String MASK = "******";

  private final ApplicationContext context;
  private final JsonMapper mapper;

  SettingsInForce(ApplicationContext context, JsonMapper mapper) {
    this.context = context;
    this.mapper = mapper;
  }

  /**
   * @param value absent when nothing is set and there is no default
   * @param configured whether somebody has set it, be it to the default
   * @param description what it means, with unit and range
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Setting(
      String name, @Nullable String value, boolean configured, @Nullable String description) {}

  /** By name. */
  List<Setting> all() {
    Map<String, @Nullable String> values = values();
    return metadata().entrySet().stream()
        .map(known -> setting(known.getKey(), known.getValue(), values))
        .toList();
  }

  private Setting setting(String name, JsonNode metadata, Map<String, @Nullable String> values) {
    String value = values.get(name);
    return new Setting(
        name,
        value == null ? text(metadata, "defaultValue") : value,
        isConfigured(ConfigurationPropertyName.of(name)),
        text(metadata, "description"));
  }

  private boolean isConfigured(ConfigurationPropertyName name) {
    for (var source : ConfigurationPropertySources.get(context.getEnvironment())) {
      if (source.getConfigurationProperty(name) != null
          || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
        return true;
      }
    }
    return false;
  }

  private Map<String, @Nullable String> values() {
    Map<String, @Nullable String> values = new HashMap<>();
    for (ConfigurationPropertiesBean bean : ConfigurationPropertiesBean.getAll(context).values()) {
      String prefix = bean.getAnnotation().value();
      if (prefix.startsWith(PREFIX) && bean.getInstance() instanceof Record settings) {
        collect(prefix, settings, values);
      }
    }
    return values;
  }

  private static void collect(
      String prefix, Record settings, Map<String, @Nullable String> values) {
    for (RecordComponent component : settings.getClass().getRecordComponents()) {
      String name = prefix + "." + kebab(component.getName());
      Object value = read(settings, component);
      if (value instanceof Record group && group.getClass().isMemberClass()) {
        collect(name, group, values);
      } else {
        values.put(name, shown(name, value));
      }
    }
  }

  private static @Nullable Object read(Record settings, RecordComponent component) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(settings);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Cannot read " + component + " of settings", e);
    }
  }

  private static @Nullable String shown(String name, @Nullable Object value) {
    boolean secret = name.startsWith(SECRETS);
    return switch (value) {
      case null -> null;
      case Map<?, ?> map ->
          blankToNull(
              map.entrySet().stream()
                  .map(entry -> entry.getKey() + "=" + (secret ? MASK : entry.getValue()))
                  .collect(Collectors.joining(", ")));
      case Object some when secret -> MASK;
      case Collection<?> many ->
          blankToNull(many.stream().map(String::valueOf).collect(Collectors.joining(", ")));
      case Object one -> one.toString();
    };
  }

  private static @Nullable String blankToNull(String text) {
    return text.isBlank() ? null : text;
  }

  private static String kebab(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** Of each setting of ours, by name; from all places, as a name may be told about in several. */
  private Map<String, JsonNode> metadata() {
    Map<String, JsonNode> found = new TreeMap<>();
    try {
      for (Resource file :
          new PathMatchingResourcePatternResolver(context.getClassLoader())
              .getResources("classpath*:META-INF/spring-configuration-metadata.json")) {
        try (InputStream content = file.getInputStream()) {
          for (JsonNode property : mapper.readTree(content).path("properties")) {
            if (property.path("name").asString("").startsWith(PREFIX)) {
              found.put(property.path("name").asString(), property);
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The metadata of the settings cannot be read", e);
    }
    return found;
  }

  private static @Nullable String text(JsonNode metadata, String member) {
    JsonNode value = metadata.path(member);
    return value.isMissingNode() || value.isNull() || value.isArray() ? null : value.asString();
  }
}
