package dev.seriatim.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Pods in processes of their own on one PostgreSQL, which each of them reaches by a loopback
 * address of its own. All on the test's thread, except {@link #pods}.
 */
final class Cluster implements AutoCloseable {

  static final int PARTITIONS = 16;

  /**
   * Short, so that tests are; in the proportions of the defaults. A lease must outlive a request: 6
   * - 2 - 0.5 seconds are more than 3.
   */
  static final Duration TTL = Duration.ofSeconds(6);

  /** Requests of a pod under way at once. */
  static final int IN_FLIGHT = 8;

  /** What the sessions of all pools are called in PostgreSQL, as a pattern. */
  static final String POOLS = "pool-%";

  private static final Duration EVEN = Duration.ofSeconds(30);

  private static final String SHARES =
      """
      select worker, count(*) as share from partition
      where owner is not null and lease_until > clock_timestamp()
      group by worker
      """;

  final PostgresServer postgres = PostgresServer.start();
  private final List<PodProcess> pods = new CopyOnWriteArrayList<>();
  private final Map<PodProcess, String> addresses = new HashMap<>();
  private final BiFunction<String, String, PodStart> starts;
  private int started;

  /** Of pods with short leases. */
  Cluster() {
    this(Cluster::command);
  }

  /**
   * @param starts how a pod is started, by its name and the URL of its database
   */
  Cluster(BiFunction<String, String, PodStart> starts) {
    this.starts = starts;
  }

  /** Those that have started and were not told to end. Any thread. */
  List<PodProcess> pods() {
    return pods;
  }

  PodProcess pod(int number) {
    return pods.get(number);
  }

  /** All that ever were. */
  Set<PodProcess> everyPod() {
    return addresses.keySet();
  }

  /** Where nobody but this pod reaches PostgreSQL. */
  String address(PodProcess pod) {
    return addresses.get(pod);
  }

  /** Starts so many at the same instant; blocks until they answer. */
  List<PodProcess> start(int count) {
    return start(count, starts);
  }

  /** Pods with short leases and something else. */
  List<PodProcess> start(int count, UnaryOperator<PodCommand> change) {
    return start(count, (host, database) -> change.apply(command(host, database)));
  }

  private List<PodProcess> start(int count, BiFunction<String, String, PodStart> how) {
    List<PodProcess> starting = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      started++;
      String address = "127.0.1." + started % 250;
      PodProcess pod = PodProcess.launch(how.apply("pod" + started, postgres.url(address)));
      addresses.put(pod, address);
      starting.add(pod);
    }
    for (PodProcess pod : starting) {
      pods.add(pod.awaitReady());
    }
    return starting;
  }

  /** A pod of this build with short leases. */
  static PodCommand command(String host, String database) {
    return PodCommand.on(database, PostgresServer.USER, "none")
        .small()
        .host(host)
        .with("seriatim.partitions.count", Integer.toString(PARTITIONS))
        .with("seriatim.lease.ttl", TTL.toSeconds() + "s")
        .with("seriatim.lease.renew-every", "2s")
        .with("seriatim.lease.margin", "500ms")
        .with("seriatim.delivery.timeout", "3s")
        .with("seriatim.delivery.max-timeout", "3s")
        // The shortest that the pool takes; then it cannot keep connections alive as well.
        .with("spring.datasource.hikari.max-lifetime", "30000")
        .with("spring.datasource.hikari.keepalive-time", "0")
        .with("spring.datasource.hikari.data-source-properties.ApplicationName", pool(host))
        // So few that attempts wait for their turn, which is where a paused pod could be stopped.
        .with("seriatim.drain.max-in-flight", Integer.toString(IN_FLIGHT))
        .with("seriatim.drain.lanes-per-partition", Integer.toString(IN_FLIGHT));
  }

  /** Brings the number of pods to this one, by starting or by clean stops. */
  void resize(int count) {
    List.copyOf(pods).stream().filter(pod -> !pod.alive()).forEach(this::forget);
    while (pods.size() > count) {
      stop(pods.getLast());
    }
    if (pods.size() < count) {
      start(count - pods.size());
    }
    awaitEvenShares();
  }

  /** A clean stop; blocks until it is over. */
  void stop(PodProcess pod) {
    // What a load balancer does: no more new requests.
    pods.remove(pod);
    pod.terminate();
    pod.awaitCleanExit();
  }

  /** Blocks until it is dead. Producers still try it until {@link #forget}. */
  void kill(PodProcess pod) {
    pod.kill();
  }

  void forget(PodProcess pod) {
    pods.remove(pod);
  }

  /**
   * Waits until all partitions are owned by the pods there are, and no pod has two more than
   * another.
   *
   * @return how long it took
   */
  Duration awaitEvenShares() {
    return Patience.until("even shares of " + pods.size() + " pods", EVEN, this::even);
  }

  /**
   * Waits until what this pod owned is owned by others.
   *
   * @return how long it took
   */
  Duration awaitOthersOwn(PodProcess pod) {
    return Patience.until(
        "others own what " + pod.name() + " owned",
        EVEN,
        () -> {
          Map<String, Integer> shares = shares();
          return !shares.containsKey(pod.name())
              && shares.values().stream().mapToInt(Integer::intValue).sum() == PARTITIONS;
        });
  }

  private boolean even() {
    Map<String, Integer> shares = shares();
    List<String> names = pods.stream().map(PodProcess::name).sorted().toList();
    return shares.keySet().stream().sorted().toList().equals(names)
        && shares.values().stream().mapToInt(Integer::intValue).sum() == PARTITIONS
        && shares.values().stream()
            .allMatch(
                share ->
                    share - PARTITIONS / names.size() <= (PARTITIONS % names.size() > 0 ? 1 : 0));
  }

  /** Partitions under a live lease, by the name of the pod. */
  Map<String, Integer> shares() {
    Map<String, Integer> shares = new HashMap<>();
    postgres
        .jdbc()
        .sql(SHARES)
        .query(
            row -> {
              String worker = row.getString("worker");
              shares.put(worker.substring(0, worker.lastIndexOf('-')), row.getInt("share"));
            });
    return shares;
  }

  /** What the sessions of a pod's pool are called in PostgreSQL. */
  private static String pool(String pod) {
    return POOLS.replace("%", pod);
  }

  /** Waits until such a statement waits for a lock. @return the pod whose it is */
  PodProcess awaitBlocked(String statement) {
    List<String> blocked = new ArrayList<>();
    Patience.until(
        statement + " waits for a lock",
        () ->
            blocked.addAll(
                postgres
                    .jdbc()
                    .sql(
                        """
                        select application_name from pg_stat_activity
                        where application_name like :pools and wait_event_type = 'Lock'
                          and query like :statement
                        """)
                    .param("pools", POOLS)
                    .param("statement", statement)
                    .query(String.class)
                    .list()));
    return pods.stream()
        .filter(pod -> pool(pod.name()).equals(blocked.getFirst()))
        .findFirst()
        .orElseThrow();
  }

  /** Ends the sessions of this kind that pods have at the moment. @return how many */
  int terminateSessions(String application) {
    return postgres
        .jdbc()
        .sql(
            """
            select count(pg_terminate_backend(pid)) from pg_stat_activity
            where usename = :user and application_name like :application
            """)
        .param("user", PostgresServer.USER)
        .param("application", application)
        .query(Integer.class)
        .single();
  }

  @Override
  public void close() {
    List<PodProcess> alive = addresses.keySet().stream().filter(PodProcess::alive).toList();
    alive.forEach(PodProcess::resume);
    alive.forEach(PodProcess::terminate);
    addresses.keySet().forEach(PodProcess::close);
    postgres.close();
  }
}
