package dev.seriatim.scenario;

import dev.seriatim.TestDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One life of a pod, from an empty database over some deliveries to a clean stop, from which the
 * JVM learns what to keep in its AOT cache: classes, and how methods are used (JEP 483, 514, 515).
 *
 * @param options of the JVM, with where the cache goes and the jar
 */
record TrainingRun(Path java, Path application, List<String> options) {

  private static final String TOKEN = "only-for-the-training-run";
  private static final int EVENTS = 1000;
  private static final int KEYS = 50;

  /**
   * Blocks until the cache is written.
   *
   * @throws AssertionError with what the pod said, when it does not go well
   */
  void run() {
    try (TestDatabase database = TestDatabase.createEmpty();
        Receiver receiver = new Receiver();
        PodProcess pod = PodProcess.launch(start(database)).awaitReady()) {
      pod.post(
          "/v1/subscriptions",
          """
          {"tenant": "training", "url": "%s", "ordering": "RESOURCE"}"""
              .formatted(receiver.url("/")));
      pod.post("/v1/events", event(0));
      pod.post(
          "/v1/events/batch",
          IntStream.range(1, EVENTS)
              .mapToObj(TrainingRun::event)
              .collect(Collectors.joining(",", "[", "]")));
      receiver.awaitAcknowledged(EVENTS);
      pod.terminate();
      pod.awaitCleanExit();
    } catch (Exception e) {
      throw new IllegalStateException("The training run failed", e);
    }
  }

  private static String event(int number) {
    return "{\"id\": \"e%d\", \"tenant\": \"training\", \"type\": \"test\", \"resource\": \"r%d\", \"payload\": {\"n\": %d}}"
        .formatted(number, number % KEYS, number);
  }

  /** As in the chart: with a token, and with a management port of its own. */
  private PodStart start(TestDatabase database) {
    return new PodStart() {
      @Override
      public String host() {
        return "training";
      }

      @Override
      public Optional<String> token() {
        return Optional.of(TOKEN);
      }

      @Override
      public ProcessBuilder process() {
        List<String> line = new ArrayList<>();
        line.add(java.toString());
        line.addAll(options);
        ProcessBuilder process =
            new ProcessBuilder(line).directory(application.toFile()).redirectErrorStream(true);
        process
            .environment()
            .putAll(
                Map.of(
                    "SPRING_DATASOURCE_URL",
                    database.url(),
                    "SPRING_DATASOURCE_USERNAME",
                    database.username(),
                    "SPRING_DATASOURCE_PASSWORD",
                    database.password(),
                    "SERVER_PORT",
                    "0",
                    "MANAGEMENT_SERVER_PORT",
                    "0",
                    "SERIATIM_TARGETS_ALLOW",
                    "127.0.0.0/8",
                    "SERIATIM_SECURITY_TOKEN",
                    TOKEN));
        return process;
      }
    };
  }
}
