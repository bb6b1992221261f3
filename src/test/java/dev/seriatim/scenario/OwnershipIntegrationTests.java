package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.partition.Partitioner;
import dev.seriatim.partition.WorkerName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Who may send, while partitions move and while nothing moves at all. */
class OwnershipIntegrationTests {

  /** Leases of three seconds; a request takes one at most. */
  private static final String[] SHORT = {
    "seriatim.lease.ttl=3s",
    "seriatim.lease.renew-every=1s",
    "seriatim.lease.margin=500ms",
    "seriatim.delivery.timeout=1s",
    "seriatim.delivery.max-timeout=1s"
  };

  /** W1: every partition has a slow send under way when another pod comes for its share. */
  @Test
  void newOwnerSendsOnlyAfterTheLastSendOfTheFormerHasEnded() throws Exception {
    try (TestDatabase database = TestDatabase.create();
        TestService first = Pod.startOn(database);
        Scenario scenario = new Scenario("rebalance", database, first)) {
      Patience.until("one has all", () -> owned(scenario, first) == Pod.PARTITIONS);
      Map<Integer, Gate> gates = new HashMap<>();
      endpoints(first.bean(Partitioner.class))
          .forEach(
              (partition, endpoint) -> {
                Gate gate = new Gate(Behaviour.always(200));
                gates.put(partition, gate);
                scenario.receiver.on("/" + endpoint, gate);
                scenario.subscribe(endpoint, "RESOURCE", Scenario.QUICK);
              });
      scenario.publishLine(3, "key");
      scenario.receiver.awaitArrived(Pod.PARTITIONS, "heads that are under way", any -> true);

      try (TestService second = Pod.startOn(database)) {
        // Half of the partitions are asked back; those whose send has ended can be had.
        for (int partition = 0; partition < Pod.PARTITIONS / 2 + 1; partition++) {
          gates.get(partition).open();
        }
        Patience.until("the other gets some", () -> owned(scenario, second) > 0);
        scenario.publish("key-e4", "key");
        scenario.publish("key-e5", "key");
        gates.values().forEach(Gate::open);
        Patience.until("even shares", () -> owned(scenario, second) == Pod.PARTITIONS / 2);
        scenario.receiver.awaitAcknowledged(Pod.PARTITIONS * 5);

        assertThat(scenario.endsInOrder())
            .hasSize(Pod.PARTITIONS)
            .allSatisfy((lane, last) -> assertThat(last).isEqualTo(5));
      }
    }
  }

  /** W2: every request hangs and every connection of the pool is taken, for two lease times. */
  @Test
  void leasesAreRenewedWhileNothingElseMoves() throws SQLException {
    try (TestService pod = Pod.start(join(SHORT, "seriatim.drain.max-in-flight=256"));
        Scenario scenario = Scenario.on(pod, "stuck")) {
      Patience.until("one has all", () -> owned(scenario, pod) == Pod.PARTITIONS);
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/stuck", gate);
      scenario.subscribe("stuck", "RESOURCE", Scenario.QUICK);
      for (int key = 0; key < 32; key++) {
        scenario.publish("e" + key, "key" + key);
      }
      scenario.receiver.awaitArrived(16, "hanging requests", any -> true);
      List<Connection> taken = new ArrayList<>();
      try {
        DataSource pool = pod.bean(DataSource.class);
        for (int connection = 0; connection < 10; connection++) {
          taken.add(pool.getConnection());
        }
        double start = leaseEnd(scenario);
        Patience.until("two lease times have passed", () -> leaseEnd(scenario) > start + 6);
      } finally {
        for (Connection connection : taken) {
          connection.close();
        }
      }
      assertThat(scenario.jdbc().sql("select max(epoch) from partition").query(Long.class).single())
          .as("no lease was lost")
          .isOne();
      gate.open();
      scenario.receiver.awaitAcknowledged(32);
    }
  }

  /** O7: lost, and won again by the same pod, while a send is under way. */
  @Test
  void partitionThatIsLostAndWonAgainIsNotSentTwiceAtOnce() throws Exception {
    List<String> events = new CopyOnWriteArrayList<>();
    try (ServerSocket receiver = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        TestService pod = Pod.start("seriatim.lease.renew-every=1s");
        Scenario scenario = Scenario.on(pod, "again")) {
      Thread.ofVirtual().start(() -> serve(receiver, events));
      Patience.until("one has all", () -> owned(scenario, pod) == Pod.PARTITIONS);
      scenario.subscribe(
          """
          {"id": "again", "tenant": "again", "url": "http://127.0.0.1:%d/", "ordering": "RESOURCE"}"""
              .formatted(receiver.getLocalPort()));
      scenario.publish("e1", "key");
      Patience.until("a request is under way", () -> events.size() == 1);

      scenario
          .jdbc()
          .sql(
              "update partition set epoch = epoch + 1, owner = gen_random_uuid(), worker = 'another', lease_until = clock_timestamp() where id = :id")
          .param("id", pod.bean(Partitioner.class).partition("again"))
          .update();

      scenario.awaitQueued(0);
      assertThat(events).containsExactly("begun", "broken off", "begun", "answered");
      assertThat(scenario.state("e1")).isEqualTo("DELIVERED");
    }
  }

  /** Holds the first request until it is broken off, and answers the next. */
  private static void serve(ServerSocket server, List<String> events) {
    try {
      try (Socket first = server.accept()) {
        read(first);
        events.add("begun");
        try {
          first.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException reset) {
          // ended either way
        }
        events.add("broken off");
      }
      try (Socket second = server.accept()) {
        read(second);
        events.add("begun");
        events.add("answered");
        second.getOutputStream().write(Reply.ok().bytes());
        second.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      }
    } catch (IOException closed) {
      // by the end of the test
    }
  }

  /** The head and the body, which ends with a brace. */
  private static void read(Socket connection) throws IOException {
    StringBuilder request = new StringBuilder();
    byte[] some = new byte[4096];
    while (!(request.indexOf("\r\n\r\n") > 0 && request.charAt(request.length() - 1) == '}')) {
      int count = connection.getInputStream().read(some);
      if (count < 0) {
        return;
      }
      request.append(new String(some, 0, count, StandardCharsets.ISO_8859_1));
    }
  }

  private static int owned(Scenario scenario, TestService pod) {
    return scenario
        .jdbc()
        .sql("select count(*) from partition where worker = :worker")
        .param("worker", pod.bean(WorkerName.class).value())
        .query(Integer.class)
        .single();
  }

  /** When the lease that ends first ends, in seconds of the database. */
  private static double leaseEnd(Scenario scenario) {
    return scenario
        .jdbc()
        .sql("select extract(epoch from min(lease_until)) from partition")
        .query(Double.class)
        .single();
  }

  /** A name for each partition. */
  private static Map<Integer, String> endpoints(Partitioner partitioner) {
    Map<Integer, String> endpoints = new HashMap<>();
    for (int number = 0; endpoints.size() < Pod.PARTITIONS; number++) {
      String name = "rebalance-" + number;
      endpoints.putIfAbsent(partitioner.partition(name), name);
    }
    return endpoints;
  }

  private static String[] join(String[] settings, String more) {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add(more);
    return all.toArray(String[]::new);
  }
}
