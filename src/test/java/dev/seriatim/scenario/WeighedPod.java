package dev.seriatim.scenario;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import dev.seriatim.queue.WakeUps;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A pod with one partition on a database of its own, into whose queue weight is put by SQL, and
 * which tells how long a delivery of another lane takes. Two of them beside each other, one without
 * weight, see the same noise of the machine.
 */
final class WeighedPod implements AutoCloseable {

  private static final int PARTITION = 0;
  private static final String HEAVY = "heavy";

  private static final String SUBSCRIPTION =
      """
      {"id": "%s", "tenant": "acme", "url": "%s", "ordering": "RESOURCE", "eventTypes": ["%s"], "maxInFlight": 64}""";

  /** All lanes in turn, as they would come in: any page of the partition has rows of many. */
  private static final String WEIGH =
      """
      with s as (
        select pk, id from subscription where id = :subscription
      ), lanes as (
        insert into lane (tenant, subscription_pk, key, last_sequence, state, held_by, reason, held_at, changed_tx)
        select 'acme', s.pk, 'heavy-' || n, :rows, case when :held then 'HELD' else 'ACTIVE' end,
          case when :held then 'OPERATOR' end, case when :held then 'weight' end,
          case when :held then clock_timestamp() end, case when :held then pg_current_xact_id() end
        from s, generate_series(1, :lanes) n
        returning id
      ), event as (
        insert into event (pk, tenant, id, type, content_type, payload, fingerprint, deliveries)
        select nextval('queue_id'), 'acme', 'heavy-event', s.id, 'text/plain', convert_to(repeat('x', 500), 'UTF8'), '', '[]'
        from s
        returning pk
      )
      insert into delivery (partition, id, lane_id, sequence, event_pk, subscription_pk)
      select :partition, nextval('queue_id'), r.lane, r.n, event.pk, s.pk
      from s, event, (select lanes.id as lane, n from generate_series(1, :rows) n, lanes order by n, lanes.id) r
      """;

  private final TestDatabase database = TestDatabase.create();
  private final JdbcClient jdbc = JdbcClient.create(database.dataSource(2));
  private final Receiver receiver = new Receiver();
  private final TestService pod;
  private int probes;

  WeighedPod() {
    pod =
        TestService.startOn(
            database,
            database.url(),
            "seriatim.targets.allow=127.0.0.0/8",
            "seriatim.partitions.count=1",
            "seriatim.lease.renew-every=300ms",
            "seriatim.lease.sweep-every=100ms",
            "logging.level.dev.seriatim.partition=error");
    subscribe("orders");
    subscribe(HEAVY);
  }

  private void subscribe(String id) {
    succeeds(pod.post("/v1/subscriptions", SUBSCRIPTION.formatted(id, receiver.url("/" + id), id)));
  }

  Receiver receiver() {
    return receiver;
  }

  /**
   * Puts rows of held lanes in front of all that comes later; they do not stand aside yet, as after
   * a crash right after the lanes were parked.
   */
  void holdLanes(int lanes, int rowsEach) {
    weigh(lanes, rowsEach, true);
    pod.bean(WakeUps.class).changed();
  }

  /** Puts rows of a subscription in front of all that comes later. */
  void queue(int lanes, int rowsEach) {
    weigh(lanes, rowsEach, false);
  }

  private void weigh(int lanes, int rowsEach, boolean held) {
    jdbc.sql(WEIGH)
        .param("subscription", HEAVY)
        .param("partition", PARTITION)
        .param("lanes", lanes)
        .param("rows", rowsEach)
        .param("held", held)
        .update();
  }

  /** Whether nothing stands where a scan passes by. */
  boolean allAside() {
    return jdbc.sql("select not exists (select from delivery where partition >= 0)")
        .query(Boolean.class)
        .single();
  }

  /** Disables, enables or deletes what the weight is for. Returns with the answer. */
  void disable() {
    succeeds(pod.post("/v1/subscriptions/" + HEAVY + "/disable", null));
  }

  void enable() {
    succeeds(pod.post("/v1/subscriptions/" + HEAVY + "/enable", null));
  }

  void delete() {
    succeeds(pod.send("DELETE", "/v1/subscriptions/" + HEAVY, null));
  }

  /** What autovacuum does within a minute or two: rows that moved leave dead entries behind. */
  void vacuum() {
    jdbc.sql("vacuum delivery").update();
  }

  /** Whether nothing stands aside. */
  boolean noneAside() {
    return jdbc.sql("select not exists (select from delivery where partition < 0)")
        .query(Boolean.class)
        .single();
  }

  /** What of the weight is queued. */
  int queued() {
    return jdbc.sql(
            "select count(*) from delivery d join subscription s on s.pk = d.subscription_pk where s.id = :id")
        .param("id", HEAVY)
        .query(Integer.class)
        .single();
  }

  /** From now on the rows that each statement takes out of the queue are counted. */
  void countRemoved() {
    jdbc.sql(
            """
            create table removed (count bigint);
            create function note_removed() returns trigger language plpgsql security definer as
              'begin insert into removed select count(*) from gone; return null; end';
            create trigger note_removed after delete on delivery referencing old table as gone
              for each statement execute function note_removed()
            """)
        .update();
  }

  /** The most that one statement has taken out since. */
  int mostRemovedAtOnce() {
    return jdbc.sql("select coalesce(max(count), 0) from removed").query(Integer.class).single();
  }

  /** Publishes one event of a new lane. @return how long until it arrived */
  Duration probe() {
    long start = System.nanoTime();
    String key = publish();
    receiver.awaitArrived(1, key, request -> request.header("seriatim-key").equals(key));
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private String publish() {
    String key = "probe-" + probes++;
    succeeds(
        pod.post(
            "/v1/events",
            """
            {"id": "%1$s", "tenant": "acme", "type": "orders", "resource": "%1$s", "payload": 1}"""
                .formatted(key)));
    return key;
  }

  /**
   * Lets the partition change hands while one event of a new lane waits.
   *
   * @return from the new acquisition to the recorded verdict, by the database's clock
   */
  Duration takeOver() {
    jdbc.sql(
            "update partition set owner = gen_random_uuid(), worker = null, epoch = epoch + 1, lease_until = 'infinity'")
        .update();
    Patience.until("the lease is lost", () -> owned() == 0);
    String key = publish();
    jdbc.sql("update partition set owner = null, lease_until = null").update();
    String took =
        """
        select extract(epoch from a.at - p.acquired_at) from attempt a join event e on e.pk = a.event_pk
        join partition p on p.id = a.partition where e.id = '%s' and a.verdict = 'DELIVERED'"""
            .formatted(key);
    Patience.until("delivered by the new owner", () -> !seconds(took).isEmpty());
    return Duration.ofNanos((long) (seconds(took).getFirst() * TimeUnit.SECONDS.toNanos(1)));
  }

  private List<Double> seconds(String sql) {
    return jdbc.sql(sql).query(Double.class).list();
  }

  private double owned() {
    return pod.get("/actuator/metrics/seriatim.partitions.owned")
        .json()
        .at("/measurements/0/value")
        .asDouble();
  }

  private static void succeeds(Answer answer) {
    if (answer.status() / 100 != 2) {
      throw new AssertionError(answer.status() + " " + answer.body());
    }
  }

  @Override
  public void close() {
    pod.close();
    receiver.close();
    database.close();
  }
}
