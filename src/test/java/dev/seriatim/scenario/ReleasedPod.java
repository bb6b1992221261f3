package dev.seriatim.scenario;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A pod of another release, from its packaged jar as it is.
 *
 * @param like what else it is started with
 */
record ReleasedPod(Path jar, PodCommand like) implements PodStart {

  @Override
  public String host() {
    return like.host();
  }

  @Override
  public ProcessBuilder process() {
    List<String> line = new ArrayList<>(List.of(PodCommand.java()));
    line.addAll(like.jvm());
    line.addAll(List.of("-jar", jar.toString()));
    like.settings().forEach((name, value) -> line.add("--" + name + "=" + value));
    ProcessBuilder process = new ProcessBuilder(line).redirectErrorStream(true);
    process.environment().put("HOSTNAME", host());
    process.environment().putAll(like.environment());
    return process;
  }
}
