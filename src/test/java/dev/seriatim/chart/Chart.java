package dev.seriatim.chart;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;
import org.yaml.snakeyaml.Yaml;

/**
 * The chart as Helm renders it. Rendering is by a copy in which hooks are none, because the library
 * leaves hooks out; {@link Manifest} undoes it. Thread-safe.
 */
final class Chart {

  static final Path FOLDER = Path.of("helm/seriatim");
  static final String RELEASE = "seriatim";
  static final String NAMESPACE = "hooks";

  /** Takes the place of {@code helm.sh/hook} in the copy. */
  static final String HOOK = "hook.of.seriatim";

  private static final String KUBERNETES = "1.34.0";
  private static final Path COPY = copyWithoutHooks();
  private static final Map<List<Path>, Manifests> RENDERED = new ConcurrentHashMap<>();

  private Chart() {}

  /** The files of values, one per feature. */
  static List<Path> values() {
    try (Stream<Path> files = Files.list(FOLDER.resolve("ci"))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @param feature name of a file of values, without its ending
   */
  static Path values(String feature) {
    return FOLDER.resolve("ci").resolve(feature + "-values.yaml");
  }

  /** With the values of a feature. */
  static Manifests with(String feature) {
    return together(feature);
  }

  /** With the values of all these features; a later one wins. */
  static Manifests together(String... features) {
    return RENDERED.computeIfAbsent(
        Stream.of(features).map(Chart::values).toList(),
        files -> Manifests.parse(render(RELEASE, files, "")));
  }

  /** With the values of a file. */
  static Manifests with(Path values) {
    return RENDERED.computeIfAbsent(
        List.of(values), files -> Manifests.parse(render(RELEASE, files, "")));
  }

  /** With these values on top of those of a feature. */
  static Manifests with(String feature, String yaml) {
    return Manifests.parse(render(RELEASE, List.of(values(feature)), yaml));
  }

  /**
   * @throws IllegalStateException with Helm's message
   */
  static String render(String release, List<Path> files, String yaml) {
    try {
      TemplateCommand command =
          new Helm(COPY)
              .template()
              .withName(release)
              .withNamespace(NAMESPACE)
              .withKubeVersion(KUBERNETES);
      files.forEach(command::withValuesFile);
      Path more = Files.createTempFile("values", ".yaml");
      try {
        Files.writeString(more, yaml);
        return command.withValuesFile(more).call();
      } finally {
        Files.delete(more);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The chart with these values as its own. */
  static LintResult lint(Path values) {
    Path copy = temporary();
    try {
      FileSystemUtils.copyRecursively(FOLDER, copy);
      Path own = copy.resolve("values.yaml");
      Files.writeString(own, new Yaml().dump(merge(load(own), load(values))));
      return new Helm(copy).lint().strict().call();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      delete(copy);
    }
  }

  static Map<String, Object> load(Path yaml) {
    try {
      return new Yaml().load(Files.readString(yaml));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> merge(Map<String, Object> under, Map<String, Object> over) {
    Map<String, Object> merged = new LinkedHashMap<>(under);
    over.forEach(
        (key, value) ->
            merged.merge(
                key,
                value,
                (before, now) ->
                    before instanceof Map && now instanceof Map
                        ? merge((Map<String, Object>) before, (Map<String, Object>) now)
                        : now));
    return merged;
  }

  private static Path copyWithoutHooks() {
    Path copy = temporary();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(copy)));
    try {
      FileSystemUtils.copyRecursively(FOLDER, copy);
      List<Path> templates = new ArrayList<>();
      try (Stream<Path> files = Files.walk(copy.resolve("templates"))) {
        files.filter(Files::isRegularFile).forEach(templates::add);
      }
      for (Path template : templates) {
        String text = Files.readString(template);
        Files.writeString(template, text.replace("helm.sh/hook", HOOK));
      }
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A folder's name must be the chart's. */
  private static Path temporary() {
    try {
      return Files.createDirectory(Files.createTempDirectory("chart").resolve("seriatim"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path copy) {
    try {
      FileSystemUtils.deleteRecursively(copy.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
