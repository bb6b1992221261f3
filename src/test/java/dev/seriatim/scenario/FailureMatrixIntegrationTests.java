package dev.seriatim.scenario;

import dev.seriatim.TestService;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each policy with each way of failing and a crash in the middle: where the lane ends up, what of
 * it is dead, what stands in line, what becomes of others, and which hand brings all of it on its
 * way in order. The same table, in words, is in guarantees.md.
 *
 * <p>Two events of one lane are published to an endpoint that fails. Every cell has a partition of
 * its own, and a dozen of them run beside each other.
 */
class FailureMatrixIntegrationTests {

  // STATE      of the lane, or of what holds it
  // DEAD       dead letters
  // QUEUED     in line still
  // ATTEMPTS   of the head or of the dead letters; * where time decides
  // NEIGHBOUR  whether another endpoint's lane of the same partition goes on
  // HAND       what the operator does once the endpoint works again
  private static final String TABLE =
      """
      WAY             | POLICY | BLOCKS    | STATE    | DEAD | QUEUED | ATTEMPTS | VERDICT         | NEIGHBOUR | HAND
      SERVER_ERROR    | EJECT  | LANE      | ACTIVE   | 2    | 0      | 2        | SERVER_ERROR    | GOES_ON   | NONE
      SERVER_ERROR    | EJECT  | PARTITION | ACTIVE   | 2    | 0      | 2        | SERVER_ERROR    | GOES_ON   | NONE
      SERVER_ERROR    | PARK   | LANE      | HELD     | 0    | 2      | 2        | SERVER_ERROR    | GOES_ON   | RESUME_LANE
      SERVER_ERROR    | PARK   | PARTITION | HELD     | 0    | 2      | 2        | SERVER_ERROR    | GOES_ON   | RESUME_LANE
      SERVER_ERROR    | PAUSE  | LANE      | PAUSED   | 0    | 2      | 2        | SERVER_ERROR    | STANDS    | RESUME_PARTITION
      CLIENT_ERROR    | EJECT  | LANE      | ACTIVE   | 2    | 0      | 2        | CLIENT_ERROR    | GOES_ON   | NONE
      CLIENT_ERROR    | PARK   | LANE      | HELD     | 0    | 2      | 2        | CLIENT_ERROR    | GOES_ON   | RESUME_LANE
      CLIENT_ERROR    | PAUSE  | LANE      | PAUSED   | 0    | 2      | 2        | CLIENT_ERROR    | STANDS    | RESUME_PARTITION
      TIMEOUT         | EJECT  | LANE      | ACTIVE   | 2    | 0      | 2        | TIMEOUT         | GOES_ON   | NONE
      TIMEOUT         | PARK   | LANE      | HELD     | 0    | 2      | 2        | TIMEOUT         | GOES_ON   | RESUME_LANE
      TIMEOUT         | PAUSE  | LANE      | PAUSED   | 0    | 2      | 2        | TIMEOUT         | STANDS    | RESUME_PARTITION
      CONNECT_REFUSED | EJECT  | LANE      | ACTIVE   | 2    | 0      | 2        | CONNECT_REFUSED | GOES_ON   | NONE
      CONNECT_REFUSED | PARK   | LANE      | HELD     | 0    | 2      | 2        | CONNECT_REFUSED | GOES_ON   | RESUME_LANE
      CONNECT_REFUSED | PAUSE  | LANE      | PAUSED   | 0    | 2      | 2        | CONNECT_REFUSED | STANDS    | RESUME_PARTITION
      TOO_OLD         | EJECT  | LANE      | ACTIVE   | 2    | 0      | *        | SERVER_ERROR    | GOES_ON   | NONE
      TOO_OLD         | PARK   | LANE      | HELD     | 0    | 2      | *        | SERVER_ERROR    | GOES_ON   | RESUME_LANE
      TOO_OLD         | PAUSE  | LANE      | PAUSED   | 0    | 2      | *        | SERVER_ERROR    | STANDS    | RESUME_PARTITION
      GONE            | EJECT  | LANE      | DISABLED | 0    | 2      | 1        | GONE            | GOES_ON   | ENABLE
      GONE            | EJECT  | PARTITION | DISABLED | 0    | 2      | 1        | GONE            | GOES_ON   | ENABLE
      GONE            | PARK   | LANE      | DISABLED | 0    | 2      | 1        | GONE            | GOES_ON   | ENABLE
      GONE            | PAUSE  | LANE      | DISABLED | 0    | 2      | 1        | GONE            | GOES_ON   | ENABLE
      CIRCUIT_OPEN    | EJECT  | LANE      | ACTIVE   | 0    | 2      | 10       | SERVER_ERROR    | GOES_ON   | NEW_URL
      CIRCUIT_OPEN    | EJECT  | PARTITION | ACTIVE   | 0    | 2      | 10       | SERVER_ERROR    | STANDS    | NEW_URL
      CIRCUIT_OPEN    | PARK   | LANE      | ACTIVE   | 0    | 2      | 10       | SERVER_ERROR    | GOES_ON   | NEW_URL
      CIRCUIT_OPEN    | PAUSE  | LANE      | ACTIVE   | 0    | 2      | 10       | SERVER_ERROR    | GOES_ON   | NEW_URL
      RATE_LIMITED    | EJECT  | LANE      | ACTIVE   | 0    | 2      | *        | SERVER_ERROR    | GOES_ON   | NO_LIMIT
      RATE_LIMITED    | EJECT  | PARTITION | ACTIVE   | 0    | 2      | *        | SERVER_ERROR    | STANDS    | NO_LIMIT
      RATE_LIMITED    | PARK   | LANE      | ACTIVE   | 0    | 2      | *        | SERVER_ERROR    | GOES_ON   | NO_LIMIT
      RATE_LIMITED    | PAUSE  | LANE      | ACTIVE   | 0    | 2      | *        | SERVER_ERROR    | GOES_ON   | NO_LIMIT
      DISABLED        | EJECT  | LANE      | DISABLED | 0    | 2      | 1        | SERVER_ERROR    | GOES_ON   | ENABLE
      DISABLED        | EJECT  | PARTITION | DISABLED | 0    | 2      | 1        | SERVER_ERROR    | GOES_ON   | ENABLE
      DISABLED        | PARK   | LANE      | DISABLED | 0    | 2      | 1        | SERVER_ERROR    | GOES_ON   | ENABLE
      DISABLED        | PAUSE  | LANE      | DISABLED | 0    | 2      | 1        | SERVER_ERROR    | GOES_ON   | ENABLE
      """;

  private static final int AT_ONCE = 12;

  private static final Map<MatrixCell, CompletableFuture<Void>> ENDS = new LinkedHashMap<>();
  private static TestService pod;
  private static Scenario scenario;
  private static ExecutorService threads;

  private static List<MatrixCell> table() {
    return TABLE
        .lines()
        .skip(1)
        .map(MatrixRow::parse)
        .flatMap(row -> row.crashes().map(crash -> new MatrixCell(row, crash)))
        .toList();
  }

  @BeforeAll
  static void begin() {
    List<MatrixCell> cells = table();
    pod =
        TestService.start(
            Stream.of(
                    Stream.of(Takeover.QUICK),
                    Stream.of(
                        "seriatim.targets.allow=127.0.0.0/8",
                        "seriatim.partitions.count=" + Integer.highestOneBit(2 * cells.size()),
                        "seriatim.delivery.breaker.window=10",
                        "seriatim.delivery.breaker.minimum-attempts=10",
                        "seriatim.delivery.breaker.open-for=PT30M",
                        "seriatim.delivery.breaker.max-open-for=PT30M"))
                .flatMap(settings -> settings)
                .toArray(String[]::new));
    scenario = Scenario.on(pod, "matrix");
    MatrixRun run = new MatrixRun(scenario, pod);
    threads = Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory());
    for (int number = 0; number < cells.size(); number++) {
      MatrixCell cell = cells.get(number);
      int partition = number;
      ENDS.put(cell, CompletableFuture.runAsync(() -> run.play(cell, partition), threads));
    }
  }

  @AfterAll
  static void end() {
    threads.shutdownNow();
    scenario.close();
    pod.close();
  }

  static Stream<Arguments> cells() {
    return ENDS.keySet().stream().map(Arguments::of);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cells")
  void endsAsDocumented(MatrixCell cell) throws Exception {
    ENDS.get(cell).get();
  }
}
