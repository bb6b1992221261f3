package dev.seriatim.scenario;

import dev.seriatim.chart.ChartPod;
import dev.seriatim.chart.ChartPod.Look;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod as the chart describes its container: the same program, arguments, environment and files,
 * out of the folder of the image. Other than in a container are where the image's and the mounted
 * folders are, and the ports, since all pods are on one machine.
 *
 * @param mounts folder for what is mounted
 * @param ports by their names in the chart
 * @param secrets what is in the Secrets, by key
 */
record ChartPodStart(
    ChartPod pod,
    PodImage image,
    String host,
    Path mounts,
    Map<String, Integer> ports,
    Map<String, String> secrets)
    implements PodStart {

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Duration PROBE = Duration.ofSeconds(3);

  private static final String TOKEN = "token-of-the-chart";

  static ChartPodStart of(ChartPod pod, PodImage image, String host, Path mounts) {
    Map<String, Integer> ports = new HashMap<>();
    pod.ports().forEach((name, port) -> ports.put(name, freePort()));
    return new ChartPodStart(pod, image, host, mounts, ports, Map.of())
        .as(PostgresServer.USER, "none");
  }

  /** As another user of the database. */
  ChartPodStart as(String username, String password) {
    return new ChartPodStart(
        pod,
        image,
        host,
        mounts,
        ports,
        Map.of("username", username, "password", password, "token", TOKEN));
  }

  private static int freePort() {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return free.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Optional<String> token() {
    return Optional.of(TOKEN);
  }

  @Override
  public ProcessBuilder process() {
    pod.files().forEach(this::mount);
    List<String> line = pod.command().stream().map(this::here).toList();
    ProcessBuilder process =
        new ProcessBuilder(line)
            .directory(Path.of(here(pod.workingDirectory())).toFile())
            .redirectErrorStream(true);
    Map<String, String> environment = process.environment();
    // A container has nothing of its machine's.
    environment.clear();
    environment.put("HOSTNAME", host);
    pod.environment().forEach((name, value) -> environment.put(name, mounted(value)));
    pod.secrets().forEach((name, key) -> environment.put(name, secrets.get(key)));
    environment.put("SERVER_PORT", ports.get("http").toString());
    environment.put("MANAGEMENT_SERVER_PORT", ports.get("management").toString());
    return process;
  }

  private void mount(String folder, Map<String, String> files) {
    files.forEach(
        (name, text) -> {
          try {
            Path file = mounts.resolve(folder.substring(1)).resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private String mounted(String value) {
    String moved = value;
    for (String folder : pod.files().keySet()) {
      moved = moved.replace(folder, mounts.resolve(folder.substring(1)).toString());
    }
    return moved;
  }

  /** Paths of the image, as they are here. */
  private String here(String argument) {
    return argument
        .replaceFirst("^/opt/java/bin/java$", image.java().toString())
        .replaceFirst("^/application$", image.application().toString());
  }

  /** What the kubelet would get; 0 when nothing answers. */
  int look(Look probe) {
    try {
      return HTTP.send(
              HttpRequest.newBuilder(
                      URI.create(
                          "http://127.0.0.1:%d%s".formatted(ports.get(probe.port()), probe.path())))
                  .timeout(PROBE)
                  .build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
