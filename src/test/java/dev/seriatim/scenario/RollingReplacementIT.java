package dev.seriatim.scenario;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.chart.ChartPod;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An upgrade as Kubernetes does it with the chart's Deployment, of processes that are started as
 * its container says: no pod is told to stop before a new one is ready ({@code maxUnavailable: 0},
 * {@code maxSurge: 1}). What the hook before the stop waits for, that everybody has heard that the
 * pod takes no more requests, is true here at once.
 */
class RollingReplacementIT {

  private static final long SEED = 20_261_129;
  private static final int PODS = 3;

  /** The aim is a second; this is for a machine on which other things are tested. */
  private static final Duration SILENCE = Duration.ofSeconds(4);

  private static final String VALUES =
      """
      database: {url: '%s'}
      partitions: {count: %d}
      targets: {allow: [127.0.0.0/8]}
      """;

  private static final PodImage IMAGE = PodImage.of(Path.of(System.getProperty("seriatim.jar")));

  private final Map<String, ChartPodStart> starts = new HashMap<>();

  @TempDir Path mounts;

  @Test
  void replacingAllPodsUnderTrafficCostsNothing() throws Exception {
    Cluster cluster = new Cluster(this::start);
    try (FaultRun run = new FaultRun(cluster, SEED, PODS)) {
      cluster.pods().forEach(this::awaitProbes);
      IO.println(Tally.HEAD);
      Tally tally =
          run.during(
              "rolling replacement, as by the chart",
              Allowance.clean(SILENCE),
              () -> {
                List<PodProcess> old = List.copyOf(cluster.pods());
                for (PodProcess pod : old) {
                  cluster.start(1).forEach(this::awaitProbes);
                  stop(cluster, pod, pod == old.getFirst());
                }
              });
      IO.println("    longest silence of an endpoint: %d ms".formatted(tally.gap().toMillis()));
      assertThat(tally.duplicates()).isZero();
      assertThat(tally.reorders()).isZero();
    }
  }

  private ChartPodStart start(String host, String database) {
    ChartPod pod = ChartPod.with(VALUES.formatted(database, Cluster.PARTITIONS));
    ChartPodStart start = ChartPodStart.of(pod, IMAGE, host, mounts.resolve(host));
    starts.put(host, start);
    return start;
  }

  private void awaitProbes(PodProcess process) {
    ChartPodStart start = starts.get(process.name());
    ChartPod pod = start.pod();
    Patience.until(
        process.name() + " is started and ready",
        pod.startup().patience(),
        () -> start.look(pod.startup()) == 200 && start.look(pod.readiness()) == 200);
    assertThat(start.look(pod.liveness())).as("liveness").isEqualTo(200);
  }

  /** Out of the Service, then SIGTERM; over within what is left of the grace. */
  private void stop(Cluster cluster, PodProcess process, boolean busy) throws Exception {
    ChartPodStart start = starts.get(process.name());
    cluster.forget(process);
    long told = System.nanoTime();
    if (busy) {
      try (HalfRequest request = new HalfRequest(start)) {
        process.terminate();
        Patience.until("the pod takes nothing new", () -> !accepts(start.ports().get("http")));
        assertThat(start.look(start.pod().readiness())).as("readiness").isEqualTo(503);
        assertThat(request.finish()).as("the request under way").startsWith("HTTP/1.1 202");
      }
    } else {
      process.terminate();
    }
    process.awaitCleanExit();
    assertThat(Duration.ofNanos(System.nanoTime() - told))
        .isLessThan(start.pod().grace().minus(start.pod().preStop()));
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
      return socket.isConnected();
    } catch (ConnectException refused) {
      return false;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A publish whose body is on its way when the pod is told to stop. */
  private static final class HalfRequest implements AutoCloseable {

    private static final String EVENT =
        """
        {"id": "half", "tenant": "half", "type": "half", "payload": 1}""";

    private final Socket socket;

    HalfRequest(ChartPodStart start) throws IOException {
      socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), start.ports().get("http"));
      socket.setSoTimeout(Math.toIntExact(Duration.ofSeconds(30).toMillis()));
      send(
          """
          POST /v1/events HTTP/1.1\r
          Host: localhost\r
          Authorization: Bearer %s\r
          Content-Type: application/json\r
          Content-Length: %d\r
          Expect: 100-continue\r
          \r
          """
              .formatted(start.token().orElseThrow(), EVENT.length()));
      // It is being read: the pod has asked for the body.
      assertThat(line()).startsWith("HTTP/1.1 100");
      assertThat(line()).isEmpty();
    }

    /**
     * @return the first line of the answer
     */
    String finish() throws IOException {
      send(EVENT);
      return line();
    }

    private void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(US_ASCII));
      socket.getOutputStream().flush();
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = socket.getInputStream().read();
          next != -1 && next != '\n';
          next = socket.getInputStream().read()) {
        line.append((char) next);
      }
      return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
