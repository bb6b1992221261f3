package dev.seriatim.scenario;

import dev.seriatim.SeriatimApplication;
import dev.seriatim.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service in a JVM of its own, with a heap of a given size; running out of it ends it. */
final class PodProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Path log;
  private final Process process;
  private final int port;
  private final HttpClient http = HttpClient.newHttpClient();

  private PodProcess(Path log, Process process, int port) {
    this.log = log;
    this.process = process;
    this.port = port;
  }

  /** Blocks until it answers. */
  static PodProcess start(TestDatabase database, String heap) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path log = Files.createTempFile("seriatim-pod", ".log");
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(SeriatimApplication.class.getName());
    command.add("--server.port=" + port);
    command.add("--spring.datasource.url=" + database.url());
    command.add("--spring.datasource.username=" + database.username());
    command.add("--spring.datasource.password=" + database.password());
    command.add("--seriatim.targets.allow=127.0.0.0/8");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    PodProcess pod = new PodProcess(log, process, port);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!pod.answers()) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("The pod did not start:\n" + Files.readString(log));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    return pod;
  }

  private boolean answers() throws InterruptedException {
    try {
      return send("GET", "/actuator/health", "").statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /**
   * @throws AssertionError when the answer is not a success
   */
  JsonNode post(String path, String json) throws Exception {
    HttpResponse<String> answer = send("POST", path, json);
    if (answer.statusCode() / 100 != 2) {
      throw new AssertionError(answer.statusCode() + " " + answer.body() + "\n" + log());
    }
    return JsonMapper.shared().readTree(answer.body());
  }

  /** Garbage included. */
  long heapMegabytes() throws Exception {
    String body = send("GET", "/actuator/metrics/jvm.memory.used?tag=area:heap", "").body();
    return JsonMapper.shared().readTree(body).at("/measurements/0/value").asLong() >> 20;
  }

  boolean alive() {
    return process.isAlive();
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** A clean stop; blocks until it has ended. */
  @Override
  public void close() throws Exception {
    http.close();
    process.destroy();
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("The pod did not stop:\n" + log());
    }
    Files.delete(log);
  }
}
