package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.scenario.ReceiverLog.Kind;
import dev.seriatim.scenario.ReceiverLog.Violation;
import dev.seriatim.scenario.Traffic.Accepted;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A cluster under traffic, to which things happen one after another. After each the traffic pauses,
 * what is queued is delivered, and everything that design section 12 lists is checked: the
 * receiver's log, the queue, the owners, and what the pods logged. All on the test's thread.
 */
final class FaultRun implements AutoCloseable {

  /** What is done to the cluster; ends when the fault is over. */
  @FunctionalInterface
  interface Fault {
    void happen() throws Exception;
  }

  private static final String TENANT = "faults";

  /** Endpoints with a lane for each resource, each with a type of event of its own. */
  private static final int ENDPOINTS = 8;

  private static final Duration DRAINED = Duration.ofSeconds(60);
  private static final String FENCED = "has another owner by now";

  private static final String SUBSCRIPTION =
      """
      {"id": "%s", "tenant": "%s", "url": "%s", "eventTypes": ["%s"], "ordering": "%s", "retry": %s, "maxInFlight": 32}""";

  /** Quick, and never used up while a fault lasts. */
  private static final String RETRY =
      """
      {"maxAttempts": 100, "initialDelay": "PT0.02S", "multiplier": 2, "maxDelay": "PT0.5S", "jitter": 0.2}""";

  private static final String ENDPOINTS_OF =
      """
      select distinct '/' || s.id from partition p
      join attempt a on a.partition = p.id
      join subscription s on s.pk = a.subscription_pk
      where p.worker like :worker and s.ordering = 'RESOURCE'
      """;

  final Cluster cluster;
  final Receiver receiver = new Receiver();
  private final PodLogs logs;
  private final Traffic traffic;

  /** Types by the path to which their events go. */
  private final Map<String, String> paths = new LinkedHashMap<>();

  private final Map<String, Behaviour> usual = new HashMap<>();

  /** How far each lane has come, and each resource within its lane. */
  private Map<Received.Lane, Long> last = new HashMap<>();

  private int bursts;
  private final Map<PodProcess, Integer> metered = new HashMap<>();
  private final Map<String, Integer> published = new HashMap<>();

  /** Starts the pods at the same instant, on an empty database (W13). */
  FaultRun(long seed, int pods) throws Exception {
    this(new Cluster(), seed, pods);
  }

  /**
   * @param cluster of no pods yet; closed with this
   */
  FaultRun(Cluster cluster, long seed, int pods) throws Exception {
    this.cluster = cluster;
    this.logs = new PodLogs(cluster);
    IO.println("Fault run, seed " + seed);
    try {
      cluster.start(pods);
      for (int number = 0; number < ENDPOINTS; number++) {
        subscribe("/e" + number, "type" + number, "RESOURCE", Duration.ofMillis(30), seed);
      }
      Duration quick = Duration.ofMillis(5);
      subscribe("/line", "line", "SUBSCRIPTION", quick, seed);
      subscribe("/shared-a", "shared", "TENANT", quick, seed);
      subscribe("/shared-b", "shared", "TENANT", quick, seed);
      traffic =
          new Traffic(TENANT, paths.values().stream().distinct().toList(), cluster::pods, seed);
      cluster.awaitEvenShares();
      assertThat(unexpected(logs.next(), Allowance.clean(Duration.ZERO)))
          .as("warnings of the start")
          .isEmpty();
    } catch (Throwable e) {
      receiver.close();
      cluster.close();
      throw e;
    }
  }

  private void subscribe(String path, String type, String ordering, Duration latency, long seed)
      throws Exception {
    usual.put(path, Behaviour.always(200).failing(0.03, seed).taking(latency, seed));
    behaveAsUsual(path);
    paths.put(path, type);
    cluster
        .pod(0)
        .post(
            "/v1/subscriptions",
            SUBSCRIPTION.formatted(
                path.substring(1), TENANT, receiver.url(path), type, ordering, RETRY));
  }

  /**
   * Lets it happen under traffic, waits until the cluster has recovered, and checks everything.
   *
   * @throws AssertionError when it cost more than allowed
   */
  Tally during(String what, Allowance allowance, Fault fault) throws Exception {
    return during(what, () -> allowance, fault);
  }

  /**
   * @param allowance asked once it has happened
   */
  Tally during(String what, Supplier<Allowance> allowance, Fault fault) throws Exception {
    traffic.start();
    long end;
    List<Accepted> accepted;
    try {
      awaitMore(60);
      fault.happen();
      cluster.awaitEvenShares();
      awaitMore(60);
      end = System.nanoTime();
      accepted = traffic.pause();
      awaitDrained();
    } catch (Throwable e) {
      try {
        forget();
      } catch (Throwable another) {
        e.addSuppressed(another);
      }
      throw e;
    }
    return check(what, allowance.get(), accepted, end);
  }

  /** So that what comes next is not blamed for this. */
  private void forget() {
    paths.keySet().forEach(this::behaveAsUsual);
    cluster.pods().forEach(PodProcess::resume);
    traffic.pause();
    awaitDrained();
    logs.next();
    ReceiverLog log = ReceiverLog.of(receiver.drainLog()).continuing(last);
    log.violations();
    last = log.last();
    published.clear();
  }

  /** A receiver's path answers as at the start: soon, and seldom with a failure. */
  void behaveAsUsual(String path) {
    receiver.on(path, usual.get(path));
  }

  /** Paths with a lane for each resource whose partitions this pod owns. */
  List<String> endpointsOf(PodProcess pod) {
    return cluster
        .postgres
        .jdbc()
        .sql(ENDPOINTS_OF)
        .param("worker", pod.name() + "-%")
        .query(String.class)
        .list();
  }

  /** One event for each of so many new resources, for each of these paths. */
  void burst(PodProcess pod, List<String> endpoints, int resources) throws Exception {
    bursts++;
    for (String path : endpoints) {
      for (int resource = 0; resource < resources; resource++) {
        String key = "burst%d-%d%s".formatted(bursts, resource, path.replace('/', '-'));
        pod.post(
            "/v1/events", Traffic.EVENT.formatted(key + "-1", TENANT, paths.get(path), key, 1));
      }
    }
  }

  /** Attempts that this pod has recorded so far. */
  int recordedBy(PodProcess pod) {
    return cluster
        .postgres
        .jdbc()
        .sql("select count(*) from attempt where worker like :worker")
        .param("worker", pod.name() + "-%")
        .query(Integer.class)
        .single();
  }

  /** Waits until so many more requests were acknowledged: until it flows. */
  void awaitMore(int count) {
    receiver.awaitAcknowledged(receiver.acknowledged() + count);
  }

  private void awaitDrained() {
    Patience.until(
        "the queue is empty", DRAINED, () -> count("select count(*) from delivery") == 0);
  }

  private Tally check(String what, Allowance allowance, List<Accepted> accepted, long end)
      throws Exception {
    List<Received> requests = receiver.drainLog();
    List<String> lines = logs.next();
    ReceiverLog log = ReceiverLog.of(requests).continuing(last).afterCrashes(allowance.crashes());
    List<Violation> violations = log.violations();
    Set<String> lost = missing(accepted, requests);
    Tally tally =
        new Tally(
            what,
            accepted.size(),
            requests.size(),
            log.repeats(),
            (int) violations.stream().filter(one -> one.kind() == Kind.REORDER).count(),
            lost.size(),
            longestGap(requests, end),
            fenced(lines));
    IO.println(tally);

    last = log.last();
    log.assertOrdered();
    assertThat(lost).as("accepted, never delivered").isEmpty();
    assertPublishedOrder(requests);
    assertThat(count("select count(*) from dead_letter")).as("dead letters").isZero();
    assertThat(count(Scenario.OVERLAPS)).as("epochs that overlap in the attempts").isZero();
    assertThat(unexpected(lines, allowance)).as("warnings of the pods").isEmpty();
    assertThat(tally.gap()).as("longest silence of an endpoint").isLessThan(allowance.gap());
    return tally;
  }

  /** Writes that found another owner: by the meter of pods that live, by the log of the others. */
  private int fenced(List<String> lines) throws Exception {
    int sum = 0;
    for (PodProcess pod : cluster.everyPod()) {
      int total = pod.alive() ? (int) pod.meter("seriatim.writes.fenced") : 0;
      sum +=
          total > 0
              ? total - metered.getOrDefault(pod, 0)
              : (int)
                  lines.stream()
                      .filter(line -> line.startsWith(pod.name() + ": ") && line.contains(FENCED))
                      .count();
      metered.put(pod, total);
    }
    return sum;
  }

  private Set<String> missing(List<Accepted> accepted, List<Received> requests) {
    Set<String> delivered = new HashSet<>();
    requests.stream()
        .filter(Received::acknowledged)
        .forEach(request -> delivered.add(request.path() + " " + request.eventId()));
    Set<String> missing = new HashSet<>();
    for (Accepted event : accepted) {
      paths.forEach(
          (path, type) -> {
            if (type.equals(event.type()) && !delivered.contains(path + " " + event.id())) {
              missing.add(path + " " + event.id());
            }
          });
    }
    return missing;
  }

  /** The events of a resource come in the order of their numbers, whatever the lane. */
  private void assertPublishedOrder(List<Received> requests) {
    for (Received request : requests) {
      String id = request.eventId();
      int number = Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
      String resource = request.path() + " " + id.substring(0, id.lastIndexOf('-'));
      int former = published.getOrDefault(resource, number - 1);
      assertThat(number)
          .as("after %d of %s: %s", former, resource, request)
          .isBetween(former, former + 1);
      published.put(resource, number);
    }
  }

  /** Over the endpoints with a lane for each resource: one head in back-off silences the others. */
  private Duration longestGap(List<Received> requests, long end) {
    long longest = 0;
    for (String path : paths.keySet()) {
      if (path.startsWith("/e")) {
        long[] arrivals =
            requests.stream()
                .filter(request -> request.path().equals(path))
                .mapToLong(Received::arrivedNanos)
                .filter(at -> at - end < 0)
                .toArray();
        long[] points = Arrays.copyOf(arrivals, arrivals.length + 1);
        points[arrivals.length] = end;
        for (int i = 1; i < points.length; i++) {
          longest = Math.max(longest, points[i] - points[i - 1]);
        }
      }
    }
    return Duration.ofNanos(longest);
  }

  private static List<String> unexpected(List<String> lines, Allowance allowance) {
    return lines.stream()
        .filter(PodLogs::isWarning)
        .filter(line -> !allowance.warnings().matcher(line).find())
        .limit(20)
        .toList();
  }

  private int count(String sql) {
    return cluster.postgres.jdbc().sql(sql).query(Integer.class).single();
  }

  @Override
  public void close() {
    traffic.close();
    receiver.close();
    cluster.close();
  }
}
