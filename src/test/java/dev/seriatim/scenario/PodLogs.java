package dev.seriatim.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads what pods have logged since the last look, even of those that died meanwhile. */
final class PodLogs {

  private static final Pattern WARNING = Pattern.compile("^\\S+ +(WARN|ERROR) ");

  private final Cluster cluster;
  private final Map<PodProcess, Integer> read = new HashMap<>();

  PodLogs(Cluster cluster) {
    this.cluster = cluster;
  }

  /** New lines of each pod that ever was, with its name before them. */
  List<String> next() {
    List<String> lines = new ArrayList<>();
    for (PodProcess pod : cluster.everyPod()) {
      String log = pod.log();
      String fresh = log.substring(read.getOrDefault(pod, 0));
      read.put(pod, log.length());
      fresh.lines().map(line -> pod.name() + ": " + line).forEach(lines::add);
    }
    return lines;
  }

  /** Whether a line is a warning or an error. */
  static boolean isWarning(String line) {
    return WARNING.matcher(line.substring(line.indexOf(' ') + 1)).find();
  }
}
