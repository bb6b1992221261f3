package dev.seriatim.scenario;

import dev.seriatim.SeriatimApplication;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How a pod is started: the packaged jar where the build names it ({@code seriatim.jar}), from the
 * class path otherwise. Immutable.
 *
 * @param prefix a program that starts the JVM, with its arguments; empty for none
 * @param jvm options of the JVM
 * @param settings the service's, by name
 * @param host what the pod takes for its machine's name
 */
record PodCommand(
    List<String> prefix, List<String> jvm, Map<String, String> settings, String host) {

  private static final String JAR = System.getProperty("seriatim.jar", "");

  /** On a free port of its own; it may call the receivers of this machine. */
  static PodCommand on(String url, String username, String password) {
    return new PodCommand(List.of(), List.of(), Map.of(), "pod")
        .with("server.port", "0")
        .with("spring.datasource.url", url)
        .with("spring.datasource.username", username)
        .with("spring.datasource.password", password)
        .with("seriatim.targets.allow", "127.0.0.0/8");
  }

  PodCommand with(String name, String value) {
    Map<String, String> more = new TreeMap<>(settings);
    more.put(name, value);
    return new PodCommand(prefix, jvm, more, host);
  }

  PodCommand jvm(String... options) {
    return new PodCommand(prefix, List.of(options), settings, host);
  }

  /** Several of these start quickly beside each other and what they are tested with. */
  PodCommand small() {
    return jvm("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
  }

  PodCommand behind(String... program) {
    return new PodCommand(List.of(program), jvm, settings, host);
  }

  PodCommand host(String name) {
    return new PodCommand(prefix, jvm, settings, name);
  }

  ProcessBuilder process() {
    List<String> line = new ArrayList<>(prefix);
    line.add(ProcessHandle.current().info().command().orElseThrow());
    line.addAll(jvm);
    if (JAR.isEmpty()) {
      line.addAll(
          List.of(
              "-cp", System.getProperty("java.class.path"), SeriatimApplication.class.getName()));
    } else {
      line.addAll(List.of("-jar", JAR));
    }
    settings.forEach((name, value) -> line.add("--" + name + "=" + value));
    ProcessBuilder process = new ProcessBuilder(line).redirectErrorStream(true);
    process.environment().put("HOSTNAME", host);
    return process;
  }
}
