package dev.seriatim.scenario;

import dev.seriatim.SeriatimApplication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How a pod is started: from the packaged jar where the build names it ({@code seriatim.jar}), from
 * the class path otherwise. Immutable.
 *
 * @param jvm options of the JVM
 * @param settings the service's, by name
 * @param environment more of it, by name
 * @param image what is run; the class path where there is none
 */
record PodCommand(
    List<String> jvm,
    Map<String, String> settings,
    Map<String, String> environment,
    Optional<PodImage> image) {

  private static final Optional<PodImage> IMAGE =
      Optional.ofNullable(System.getProperty("seriatim.jar")).map(Path::of).map(PodImage::of);

  /** On a free port of its own; it may call the receivers of this machine. */
  static PodCommand on(String url, String username, String password) {
    return new PodCommand(List.of(), Map.of(), Map.of(), IMAGE)
        .with("server.port", "0")
        .with("spring.datasource.url", url)
        .with("spring.datasource.username", username)
        .with("spring.datasource.password", password)
        .with("seriatim.targets.allow", "127.0.0.0/8");
  }

  PodCommand with(String name, String value) {
    return new PodCommand(jvm, and(settings, name, value), environment, image);
  }

  PodCommand jvm(String... options) {
    return new PodCommand(List.of(options), settings, environment, image);
  }

  /** Several of these start quickly beside each other and what they are tested with. */
  PodCommand small() {
    return jvm("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }

  /** From another packaged jar, that of an earlier release. */
  PodCommand jar(Path packaged) {
    return new PodCommand(jvm, settings, environment, Optional.of(PodImage.of(packaged)));
  }

  PodCommand environment(String name, String value) {
    return new PodCommand(jvm, settings, and(environment, name, value), image);
  }

  /**
   * @param name what the pod takes for its machine's name
   */
  PodCommand host(String name) {
    return environment("HOSTNAME", name);
  }

  String host() {
    return environment.getOrDefault("HOSTNAME", "pod");
  }

  private static Map<String, String> and(Map<String, String> map, String name, String value) {
    Map<String, String> more = new TreeMap<>(map);
    more.put(name, value);
    return more;
  }

  /** Whether starts would be quicker after one that ran to its end. */
  static boolean wantsTraining() {
    return IMAGE.isPresent() && !IMAGE.get().trained();
  }

  /** The program that runs this JVM. */
  static String java() {
    return ProcessHandle.current().info().command().orElseThrow();
  }

  ProcessBuilder process() {
    List<String> line = new ArrayList<>();
    line.add(java());
    line.addAll(jvm);
    line.addAll(
        image
            .map(PodImage::options)
            .orElseGet(
                () ->
                    List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        SeriatimApplication.class.getName())));
    settings.forEach((name, value) -> line.add("--" + name + "=" + value));
    ProcessBuilder process = new ProcessBuilder(line).redirectErrorStream(true);
    process.environment().put("HOSTNAME", host());
    process.environment().putAll(environment);
    return process;
  }
}
