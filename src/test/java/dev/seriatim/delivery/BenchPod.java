package dev.seriatim.delivery;

import dev.seriatim.SeriatimApplication;
import dev.seriatim.TestDatabase;
import dev.seriatim.queue.NewEvent;
import dev.seriatim.queue.PublishResult;
import dev.seriatim.queue.Publisher;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.SubscriptionDirectory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * One pod on a database of its own, whose partitions somebody else seems to own until {@link
 * #drain}: so a queue can be filled before anything of it is sent.
 */
final class BenchPod implements AutoCloseable {

  static final String TENANT = "bench";

  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final int PARTITIONS = 64;
  private static final byte[] PAYLOAD =
      """
      {"order": 4711, "customer": "c-93817", "total": {"amount": "129.90", "currency": "EUR"}, "lines": [{"sku": "A-17", "quantity": 2}, {"sku": "B-4", "quantity": 1}], "note": "leave at the door"}
      """
          .strip()
          .getBytes(StandardCharsets.UTF_8);

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(2));
  private final ConfigurableApplicationContext context;

  BenchPod(String... settings) {
    jdbc.sql("insert into topology (partition_count, hash) values (:count, 'blake2b-8')")
        .param("count", PARTITIONS)
        .update();
    jdbc.sql(
            """
            insert into partition (id, epoch, owner, lease_until)
            select id, 1, gen_random_uuid(), 'infinity' from generate_series(0, :count - 1) id
            """)
        .param("count", PARTITIONS)
        .update();
    context =
        new SpringApplicationBuilder(SeriatimApplication.class)
            .properties(
                "server.port=0",
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.username(),
                "spring.datasource.password=" + database.password(),
                "spring.main.banner-mode=off",
                "logging.level.root=warn",
                "seriatim.targets.allow=127.0.0.0/8")
            .run(settings);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** Creates a subscription with a lane per resource, which wants one type of event. */
  Subscription subscribe(String id, String type, URI url, int maxInFlight) {
    String body =
        """
        {"id": "%s", "tenant": "%s", "url": "%s", "eventTypes": ["%s"], "ordering": "RESOURCE", "maxInFlight": %d}
        """
            .formatted(id, TENANT, url, type, maxInFlight);
    int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/v1/subscriptions"))
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 201) {
        throw new IllegalStateException(answer.body());
      }
    } catch (Exception e) {
      throw new IllegalStateException("Subscription " + id + " was not created", e);
    }
    long pk =
        jdbc.sql("select pk from subscription where id = :id")
            .param("id", id)
            .query(Long.class)
            .single();
    return bean(SubscriptionDirectory.class).load(List.of(pk)).getFirst();
  }

  static NewEvent event(String id, String type, String resource) {
    return new NewEvent(TENANT, id, type, resource, "application/json", PAYLOAD);
  }

  /** Every event must reach exactly one subscription. */
  void publish(List<NewEvent> events) {
    for (PublishResult result : bean(Publisher.class).publish(events)) {
      if (!(result instanceof PublishResult.Accepted accepted)
          || accepted.deliveries().size() != 1) {
        throw new IllegalStateException("Not one delivery: " + result);
      }
    }
  }

  /**
   * Lets the pod have its partitions and waits until nothing is queued.
   *
   * @return from the first acquisition of a partition to the last recorded verdict, by the
   *     database's clock
   */
  Duration drain() {
    jdbc.sql("checkpoint").update();
    jdbc.sql("update partition set lease_until = null").update();
    awaitSql("select not exists (select from delivery)");
    double seconds =
        jdbc.sql(
                """
                select extract(epoch from (select max(at) from attempt) - (select min(acquired_at) from partition))
                """)
            .query(Double.class)
            .single();
    return Duration.ofNanos((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
  }

  private void awaitSql(String condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!jdbc.sql(condition).query(Boolean.class).single()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Not within " + PATIENCE + ": " + condition);
      }
      // Rarely: the benchmark's own questions should cost nothing that is measured.
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }
  }

  CpuTime cpuTime() {
    return CpuTime.now(jdbc.sql("select pg_backend_pid()").query(Long.class).single());
  }

  /** Of a table with its partitions, indexes and long values. */
  long bytes(String table) {
    return jdbc.sql(
            """
            select sum(pg_total_relation_size(oid))::bigint from pg_class
            where oid = :table::regclass
              or oid in (select inhrelid from pg_inherits where inhparent = :table::regclass)
            """)
        .param("table", table)
        .query(Long.class)
        .single();
  }

  /** Written so far by the whole server. */
  long walBytes() {
    return jdbc.sql("select pg_current_wal_insert_lsn() - '0/0'").query(Long.class).single();
  }

  /** For example {@code server_version}. */
  String serverSetting(String name) {
    return jdbc.sql("select current_setting(:name)")
        .param("name", name)
        .query(String.class)
        .single();
  }

  @Override
  public void close() {
    context.close();
    database.close();
  }
}
