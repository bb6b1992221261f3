package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/**
 * One tenant with a receiver of its own on pods that may be shared with other tests, and the checks
 * that every scenario ends with: the receiver's log holds the promise, nothing is left in the
 * queue, no two owners of a partition overlap, and the pods warned of nothing unexpected.
 */
final class Scenario implements AutoCloseable {

  /** Retries that a test need not wait for. */
  static final String QUICK =
      """
      {"maxAttempts": 50, "initialDelay": "PT0.02S", "multiplier": 1.5, "maxDelay": "PT0.2S", "jitter": 0.2}""";

  /** Retries that do not come while a test runs. */
  static final String LATER =
      """
      {"maxAttempts": 50, "initialDelay": "PT600S", "multiplier": 1, "maxDelay": "PT600S", "jitter": 0}""";

  private static final String SUBSCRIPTION =
      """
      {"id": "%s", "tenant": "%s", "url": "%s", "ordering": "%s", "retry": %s, "maxInFlight": 32}""";

  private static final String EVENT =
      """
      {"id": "%s", "tenant": "%s", "type": "%s", "resource": "%s", "payload": %s}""";

  /** Acquisitions of a partition whose attempts mix with those of the one before. */
  static final String OVERLAPS =
      """
      select count(*) from (
        select min(at) as first, lag(max(at)) over (partition by partition order by epoch) as former
        from attempt group by partition, epoch) e
      where first < former
      """;

  final Receiver receiver = new Receiver();
  final String tenant;
  final LogWatch log = new LogWatch();
  private final List<TestService> pods;
  private final JdbcClient jdbc;

  /**
   * @param tenant not used by any other test
   */
  Scenario(String tenant, TestDatabase database, TestService... pods) {
    this.tenant = tenant;
    this.pods = List.of(pods);
    this.jdbc = JdbcClient.create(database.dataSource(2));
  }

  static Scenario on(TestService pod, String tenant) {
    return new Scenario(tenant, pod.database(), pod);
  }

  TestService pod() {
    return pods.getFirst();
  }

  JdbcClient jdbc() {
    return jdbc;
  }

  /**
   * Subscribes the path of the receiver that is called like the subscription. @return the answer
   */
  JsonNode subscribe(String id, String ordering, String retry) {
    return subscribe(id, "/" + id, ordering, retry);
  }

  JsonNode subscribe(String id, String path, String ordering, String retry) {
    return subscribe(SUBSCRIPTION.formatted(id, tenant, receiver.url(path), ordering, retry));
  }

  JsonNode subscribe(String json) {
    Answer created = pod().post("/v1/subscriptions", json);
    assertThat(created.status()).as(created.body()).isEqualTo(201);
    return created.json();
  }

  JsonNode subscription(String id) {
    return pod().get("/v1/subscriptions/" + id).json();
  }

  void patch(String id, String json) {
    succeeds(pod().send("PATCH", "/v1/subscriptions/" + id, json));
  }

  void delete(String id) {
    succeeds(pod().send("DELETE", "/v1/subscriptions/" + id, null));
  }

  void disable(String id) {
    succeeds(pod().post("/v1/subscriptions/" + id + "/disable", null));
  }

  void enable(String id) {
    succeeds(pod().post("/v1/subscriptions/" + id + "/enable", null));
  }

  private static void succeeds(Answer answer) {
    assertThat(answer.status() / 100).as(answer.body()).isEqualTo(2);
  }

  String event(String id, String resource) {
    return event(id, "test.happened", resource, "{\"id\": \"" + id + "\"}");
  }

  String event(String id, String type, String resource, String payload) {
    return EVENT.formatted(id, tenant, type, resource, payload);
  }

  /** Publishes one event; it must be accepted. */
  Answer publish(String id, String resource) {
    Answer answer = pod().post("/v1/events", event(id, resource));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    return answer;
  }

  /** Publishes events in one batch; all must be accepted. */
  void publishAll(List<String> events) {
    Answer answer =
        pod()
            .post(
                "/v1/events/batch",
                String.join("\n", events),
                "Content-Type",
                "application/x-ndjson");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.json().get("results"))
        .hasSize(events.size())
        .allSatisfy(result -> assertThat(result.get("status").intValue()).isEqualTo(202));
  }

  /** One batch of events {@code e1} to {@code en} of one resource. */
  void publishLine(int count, String resource) {
    publishAll(
        IntStream.rangeClosed(1, count)
            .mapToObj(number -> event(resource + "-e" + number, resource))
            .toList());
  }

  JsonNode status(String eventId) {
    return pod().get("/v1/events/" + tenant + "/" + eventId).json();
  }

  /** Of an event's only delivery. */
  String state(String eventId) {
    return status(eventId).at("/deliveries/0/state").asString("");
  }

  /** Deliveries of this tenant in the queue. */
  int queued() {
    return jdbc.sql(
            """
            select count(*) from delivery d join subscription s on s.pk = d.subscription_pk
            where s.tenant = :tenant
            """)
        .param("tenant", tenant)
        .query(Integer.class)
        .single();
  }

  void awaitQueued(int count) {
    Patience.until(count + " deliveries of " + tenant + " queued", () -> queued() == count);
  }

  /**
   * Waits until the only pod has heard of every change of a subscription made so far. Changes are
   * heard of in one look at all of them; so once a later one of another subscription shows, the
   * earlier ones are known.
   */
  void awaitChangesHeard() {
    String canary = "canary-" + tenant;
    if (pod().get("/v1/subscriptions/" + canary).status() == 404) {
      subscribe(
          """
          {"id": "%s", "tenant": "%s", "url": "%s", "ordering": "NONE", "eventTypes": ["canary"]}"""
              .formatted(canary, canaryTenant(), receiver.url("/canary/first")));
      sing();
      receiver.awaitArrived(1, "canary", request -> request.path().startsWith("/canary"));
    }
    String fresh = "/canary/" + receiver.log().size();
    patch(canary, "{\"url\": \"" + receiver.url(fresh) + "\"}");
    Patience.until(
        "the pod hears of changed subscriptions",
        () -> {
          sing();
          return !receiver.log(request -> request.path().equals(fresh)).isEmpty();
        });
  }

  private void sing() {
    succeeds(
        pod()
            .post(
                "/v1/events",
                """
                {"tenant": "%s", "type": "canary", "payload": 1}"""
                    .formatted(canaryTenant())));
  }

  private String canaryTenant() {
    return "canary-of-" + tenant;
  }

  /** Waits until nothing is queued, then checks everything; no number may be missing. */
  Map<Received.Lane, Long> endsInOrder() {
    return endsInOrder(0, Set.of());
  }

  /**
   * @param left deliveries that are known to stay in the queue
   * @param missing numbers that were given up or cancelled
   * @param expected warnings that are part of the scenario
   * @return the last number of each lane
   */
  Map<Received.Lane, Long> endsInOrder(int left, Set<Long> missing, String... expected) {
    return ends(left, log -> log.without(missing), expected);
  }

  /**
   * @param allowed what the scenario did that the log may show
   */
  Map<Received.Lane, Long> ends(int left, UnaryOperator<ReceiverLog> allowed, String... expected) {
    awaitQueued(left);
    Map<Received.Lane, Long> last =
        allowed.apply(ReceiverLog.of(receiver.log(isCanary().negate()))).assertOrdered();
    assertThat(jdbc.sql(OVERLAPS).query(Integer.class).single())
        .as("epochs of a partition that overlap in the attempts")
        .isZero();
    assertThat(log.warnings())
        .as("warnings of the pods")
        .allMatch(
            warning ->
                List.of(expected).stream()
                    .anyMatch(part -> Pattern.compile(part).matcher(warning).find()));
    return last;
  }

  /** Requests that the scenario itself makes. */
  static Predicate<Received> isCanary() {
    return request -> request.path().startsWith("/canary");
  }

  /** Numbers from 1. */
  static Set<Long> upTo(long last) {
    return IntStream.rangeClosed(1, (int) last).mapToObj(Long::valueOf).collect(Collectors.toSet());
  }

  /** The tenant's subscriptions are deleted, so that what a test left behind bothers no other. */
  @Override
  public void close() {
    log.close();
    receiver.close();
    jdbc.sql(
            """
            update subscription set state = 'DELETED', changed_tx = pg_current_xact_id(),
              updated_at = clock_timestamp()
            where tenant in (:tenant, :canary)
            """)
        .param("tenant", tenant)
        .param("canary", canaryTenant())
        .update();
  }
}
