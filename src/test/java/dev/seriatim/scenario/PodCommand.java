package dev.seriatim.scenario;

import dev.seriatim.SeriatimApplication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A pod of a test's own making: of what the image holds where the build names the packaged jar
 * ({@code seriatim.jar}), of the class path otherwise. Immutable.
 *
 * @param jvm options of the JVM
 * @param settings the service's, by name
 * @param environment more of it, by name
 */
record PodCommand(List<String> jvm, Map<String, String> settings, Map<String, String> environment)
    implements PodStart {

  private static final Optional<Path> JAR =
      Optional.ofNullable(System.getProperty("seriatim.jar")).map(Path::of);

  /** On a free port of its own; it may call the receivers of this machine. */
  static PodCommand on(String url, String username, String password) {
    return new PodCommand(List.of(), Map.of(), Map.of())
        .with("server.port", "0")
        .with("spring.datasource.url", url)
        .with("spring.datasource.username", username)
        .with("spring.datasource.password", password)
        .with("seriatim.targets.allow", "127.0.0.0/8");
  }

  PodCommand with(String name, String value) {
    return new PodCommand(jvm, and(settings, name, value), environment);
  }

  PodCommand jvm(String... options) {
    return new PodCommand(List.of(options), settings, environment);
  }

  /** Several of these start quickly beside each other and what they are tested with. */
  PodCommand small() {
    return jvm("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }

  PodCommand environment(String name, String value) {
    return new PodCommand(jvm, settings, and(environment, name, value));
  }

  /**
   * @param name what the pod takes for its machine's name
   */
  PodCommand host(String name) {
    return environment("HOSTNAME", name);
  }

  @Override
  public String host() {
    return environment.getOrDefault("HOSTNAME", "pod");
  }

  private static Map<String, String> and(Map<String, String> map, String name, String value) {
    Map<String, String> more = new TreeMap<>(map);
    more.put(name, value);
    return more;
  }

  /** The program that runs this JVM. */
  static String java() {
    return ProcessHandle.current().info().command().orElseThrow();
  }

  @Override
  public Optional<String> token() {
    return Optional.ofNullable(settings.get("seriatim.security.token"));
  }

  @Override
  public ProcessBuilder process() {
    Optional<PodImage> image = JAR.map(PodImage::of);
    List<String> line = new ArrayList<>();
    line.add(image.map(one -> one.java().toString()).orElseGet(PodCommand::java));
    line.addAll(jvm);
    line.addAll(
        image.isPresent()
            ? PodImage.options()
            : List.of(
                "-cp", System.getProperty("java.class.path"), SeriatimApplication.class.getName()));
    settings.forEach((name, value) -> line.add("--" + name + "=" + value));
    ProcessBuilder process = new ProcessBuilder(line).redirectErrorStream(true);
    image.ifPresent(one -> process.directory(one.application().toFile()));
    process.environment().put("HOSTNAME", host());
    process.environment().putAll(environment);
    return process;
  }
}
