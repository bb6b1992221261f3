package dev.seriatim.scenario;

import dev.seriatim.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service in a JVM of its own, which can be signalled like any process. */
final class PodProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern ADDRESS = Pattern.compile("Seriatim is ready at (http://[^;]+);");

  private final PodStart start;
  private final Path log;
  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();

  /** Written by whoever waits for the start, before anybody else sees this pod. */
  private String address = "";

  private boolean paused;

  private PodProcess(PodStart start, Path log, Process process) {
    this.start = start;
    this.log = log;
    this.process = process;
  }

  /** With a heap of a given size, running out of which ends it. Blocks until it answers. */
  static PodProcess start(TestDatabase database, String heap) {
    return launch(
            PodCommand.on(database.url(), database.username(), database.password())
                .jvm("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"))
        .awaitReady();
  }

  /** Begins a start; so several can go on at once. */
  static PodProcess launch(PodStart start) {
    try {
      Path log = Files.createTempFile("seriatim-pod", ".log");
      Process process = start.process().redirectOutput(log.toFile()).start();
      return new PodProcess(start, log, process);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Blocks until it answers. */
  PodProcess awaitReady() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Matcher ready = ADDRESS.matcher(log());
    while (!ready.find()) {
      if (!process.isAlive() || System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("The pod did not start:\n" + log());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      ready = ADDRESS.matcher(log());
    }
    address = ready.group(1);
    return this;
  }

  /** What it takes for its machine's name. */
  String name() {
    return start.host();
  }

  /** To the pod's API, with its token if it has one. */
  HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
    start.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    return request;
  }

  /**
   * @throws AssertionError when the answer is not a success
   */
  JsonNode post(String path, String json) throws Exception {
    return post(path, json, "application/json");
  }

  /** The same with another content type. */
  JsonNode post(String path, String body, String contentType) throws Exception {
    HttpResponse<String> answer = send("POST", path, body, contentType);
    if (answer.statusCode() / 100 != 2) {
      throw new AssertionError(answer.statusCode() + " " + answer.body() + "\n" + log());
    }
    return JsonMapper.shared().readTree(answer.body());
  }

  /** Garbage included. */
  long heapMegabytes() throws Exception {
    return (long) meter("jvm.memory.used?tag=area:heap") >> 20;
  }

  /** Its value now; 0 where there is no such meter. */
  double meter(String meter) throws Exception {
    return meter(meter, 0);
  }

  /** The longest that this pod has timed lately, in seconds; 0 when there is no such meter. */
  double longest(String timer) throws Exception {
    return meter(timer, 2);
  }

  /** What this pod has timed in all, in seconds; 0 when there is no such meter. */
  double total(String timer) throws Exception {
    return meter(timer, 1);
  }

  private double meter(String meter, int measurement) throws Exception {
    HttpResponse<String> answer = send("GET", "/actuator/metrics/" + meter, "");
    return answer.statusCode() == 200
        ? JsonMapper.shared()
            .readTree(answer.body())
            .at("/measurements/" + measurement + "/value")
            .asDouble()
        : 0;
  }

  /** Of all its threads so far. */
  Duration processorTime() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  boolean alive() {
    return process.isAlive();
  }

  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is answered, whatever it is. */
  int status(String method, String path, String json) throws Exception {
    return send(method, path, json).statusCode();
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    return send(method, path, body, "application/json");
  }

  private HttpResponse<String> send(String method, String path, String body, String contentType)
      throws IOException, InterruptedException {
    return http.send(
        request(path)
            .header("Content-Type", contentType)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** The time by its own clock when it logged its last line. */
  Instant lastLogged() {
    String last = log().lines().toList().getLast();
    return Instant.parse(last.substring(0, last.indexOf(' ')));
  }

  /** SIGSTOP: nothing of it runs any more, as in a long pause of its machine. */
  void pause() {
    signal("STOP");
    paused = true;
  }

  boolean paused() {
    return paused;
  }

  /** SIGCONT, if it is paused. */
  void resume() {
    if (paused && process.isAlive()) {
      signal("CONT");
      paused = false;
    }
  }

  /** SIGTERM, for a clean stop. Does not wait for it. */
  void terminate() {
    process.destroy();
  }

  /** SIGKILL. Blocks until it is gone. */
  void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /**
   * Blocks until it has ended.
   *
   * @throws AssertionError when it did not end as asked by {@link #terminate}
   */
  void awaitCleanExit() {
    int exit = awaitExit();
    if (exit != 0) {
      throw new AssertionError("The pod ended with " + exit + ":\n" + log());
    }
  }

  private int awaitExit() {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("The pod did not stop:\n" + log());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void signal(String signal) {
    // A shell has kill built in; as a program of its own it is missing on lean machines.
    Shell.run("kill -" + signal + " " + process.pid());
  }

  /** A clean stop if it still runs; blocks until it has ended. */
  @Override
  public void close() {
    http.close();
    if (process.isAlive()) {
      resume();
      terminate();
      awaitExit();
    }
    try {
      Files.delete(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
