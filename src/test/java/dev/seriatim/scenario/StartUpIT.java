package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.chart.ChartPod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long it takes from the start of the process until the chart's readiness probe succeeds, of
 * the jar as it is packaged, of the unpacked one, and of that with its AOT cache, in turns, with
 * the runtime and the options of the image, on a database that is migrated. {@code
 * -Dstartup.runs=7} says how many of each; the first of each is left out.
 */
@Tag("bench")
class StartUpIT {

  /** On two cores that have nothing else to do. */
  private static final Duration AIM = Duration.ofSeconds(6);

  private static final long BETWEEN_LOOKS = Duration.ofMillis(5).toNanos();
  private static final int RUNS = Integer.getInteger("startup.runs", 7);
  private static final Path JAR = Path.of(System.getProperty("seriatim.jar")).toAbsolutePath();

  /** Of one start, in milliseconds; processor time of all threads. */
  private record Start(long ready, long processor) {}

  @TempDir Path mounts;

  @Test
  void startsWithinTheAim() {
    Map<String, List<Start>> starts = new LinkedHashMap<>();
    try (TestDatabase database = TestDatabase.create()) {
      for (int run = 0; run <= RUNS; run++) {
        int round = run;
        variants(database)
            .forEach(
                (name, start) -> {
                  Start measured = measure(start);
                  if (round > 0) {
                    starts.computeIfAbsent(name, key -> new ArrayList<>()).add(measured);
                  }
                });
      }
    }
    IO.println(
        "| | ready after, median (s) | fastest | slowest | processor time, median (s) |\n|---|---:|---:|---:|---:|");
    starts.forEach(
        (name, all) -> {
          long[] ready = all.stream().mapToLong(Start::ready).sorted().toArray();
          long[] processor = all.stream().mapToLong(Start::processor).sorted().toArray();
          IO.println(
              "| %s | %.2f | %.2f | %.2f | %.2f |"
                  .formatted(
                      name,
                      ready[ready.length / 2] / 1e3,
                      ready[0] / 1e3,
                      ready[ready.length - 1] / 1e3,
                      processor[processor.length / 2] / 1e3));
        });
    assertThat(starts.get("unpacked, AOT cache"))
        .extracting(Start::ready)
        .allSatisfy(ready -> assertThat(ready).isLessThan(AIM.toMillis()));
  }

  /** Each without the cache, but for the last. */
  private Map<String, ChartPodStart> variants(TestDatabase database) {
    ChartPod chart =
        ChartPod.with(
            """
            database: {url: '%s'}
            """
                .formatted(database.url()));
    Map<String, ChartPodStart> variants = new LinkedHashMap<>();
    variants.put("jar", start(chart, database, List.of("-XX:AOTMode=off"), JAR.toString()));
    variants.put("unpacked", start(chart, database, List.of("-XX:AOTMode=off"), "seriatim.jar"));
    // On: a cache that does not fit ends the start instead of slowing it down.
    variants.put(
        "unpacked, AOT cache", start(chart, database, List.of("-XX:AOTMode=on"), "seriatim.jar"));
    return variants;
  }

  private ChartPodStart start(
      ChartPod chart, TestDatabase database, List<String> options, String jar) {
    List<String> command = new ArrayList<>(chart.command());
    command.addAll(command.indexOf("-jar"), options);
    command.set(command.size() - 1, jar);
    return ChartPodStart.of(chart.withCommand(command), PodImage.of(JAR), "start", mounts)
        .as(database.username(), database.password());
  }

  private static Start measure(ChartPodStart start) {
    long begun = System.nanoTime();
    try (PodProcess pod = PodProcess.launch(start)) {
      while (start.look(start.pod().readiness()) != 200) {
        assertThat(pod.alive()).as("it starts: %s", pod.log()).isTrue();
        LockSupport.parkNanos(BETWEEN_LOOKS);
      }
      long ready = System.nanoTime() - begun;
      Start measured = new Start(ready / 1_000_000, pod.processorTime().toMillis());
      pod.terminate();
      pod.awaitCleanExit();
      return measured;
    }
  }
}
