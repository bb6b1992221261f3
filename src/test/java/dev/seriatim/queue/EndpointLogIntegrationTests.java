package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.partition.PartitionLease;
import dev.seriatim.queue.Settler.Outcome;
import dev.seriatim.subscription.OrderingScope;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndpointLogIntegrationTests {

  private static final EndpointState OPEN =
      new EndpointState(true, "down", Duration.ofMinutes(1), Duration.ofDays(2), 30, 2);

  private final TestDatabase database = TestDatabase.create();
  private final Pod pod = new Pod(database);
  private final EndpointLog log = new EndpointLog(pod.jdbc);
  private final long orders = pod.subscriptions.create("orders", "acme", OrderingScope.RESOURCE);
  private final long others = pod.subscriptions.create("others", "acme", OrderingScope.RESOURCE);
  private final PartitionLease lease = pod.acquire(pod.partition("orders"));

  @AfterEach
  void close() {
    pod.close();
    database.close();
  }

  @Test
  void nextOwnerReadsWhatTheFormerLeft() {
    EndpointState held =
        new EndpointState(false, "busy", Duration.ofMinutes(5), Duration.ofSeconds(9), 1, 0);

    assertThat(log.write(lease, Map.of(orders, OPEN, others, held))).isEqualTo(Outcome.SETTLED);

    Map<Long, EndpointState> left = log.load(List.of(orders, others, -1L));
    assertThat(left).hasSize(2);
    assertSame(left.get(orders), OPEN);
    assertSame(left.get(others), held);
  }

  @Test
  void whoWorksAgainIsForgotten() {
    log.write(lease, Map.of(orders, OPEN));

    log.write(lease, Map.of(orders, EndpointState.WELL, others, EndpointState.WELL));

    assertThat(pod.count("endpoint")).isZero();
  }

  @Test
  void sameMomentStaysTheSame() {
    log.write(lease, Map.of(orders, OPEN));
    OffsetDateTime failing = column("failing_since");
    OffsetDateTime since = column("since");

    log.write(lease, Map.of(orders, OPEN));
    assertThat(column("failing_since")).isEqualTo(failing);
    assertThat(column("since")).isEqualTo(since);

    EndpointState closed = new EndpointState(false, null, null, Duration.ofDays(1), 40, 0);
    log.write(lease, Map.of(orders, closed));
    assertThat(column("failing_since")).isAfter(failing.plusHours(20));
    assertThat(column("since")).isAfter(since);
  }

  @Test
  void staleOwnerWritesAndDisablesNothing() {
    log.write(lease, Map.of(orders, OPEN));
    pod.acquire(lease.partition());

    assertThat(log.write(lease, Map.of(orders, EndpointState.WELL))).isEqualTo(Outcome.FENCED);
    assertThat(log.write(lease, Map.of(others, OPEN))).isEqualTo(Outcome.FENCED);
    assertThat(log.disable(lease, orders, "too late")).isEqualTo(Outcome.FENCED);

    assertThat(pod.count("endpoint")).isEqualTo(1);
    assertThat(pod.count("subscription where state = 'ENABLED'")).isEqualTo(2);
  }

  @Test
  void disablingKeepsTheWordOfWhoDidItBefore() {
    pod.subscriptions.disable("orders");

    assertThat(log.disable(lease, orders, "failing")).isEqualTo(Outcome.SETTLED);
    assertThat(log.disable(lease, others, "failing")).isEqualTo(Outcome.SETTLED);

    assertThat(
            pod.jdbc
                .sql("select disabled_reason from subscription order by pk")
                .query(String.class)
                .list())
        .containsExactly("test", "failing");
  }

  @Test
  void enablingAndANewUrlForgetWhatIsKnown() {
    log.write(lease, Map.of(orders, OPEN, others, OPEN));
    pod.subscriptions.redirect("orders", "acme", "https://a.example/");
    assertThat(pod.count("endpoint")).as("the URL that it had").isEqualTo(2);

    pod.subscriptions.redirect("orders", "acme", "https://b.example/");
    assertThat(pod.count("endpoint")).isEqualTo(1);

    pod.subscriptions.disable("others");
    assertThat(pod.count("endpoint")).isEqualTo(1);
    pod.subscriptions.enable("others");
    assertThat(pod.count("endpoint")).isZero();
  }

  @Test
  void queuedCountsWhatStandsAside() {
    pod.write(Pod.event("acme", "e1", "a"));
    pod.write(Pod.event("acme", "e2", "b"));
    pod.jdbc
        .sql(
            "update delivery set partition = ~partition where subscription_pk = :pk and id % 2 = 0")
        .param("pk", orders)
        .update();

    assertThat(log.queued(lease, orders)).isEqualTo(2);
    assertThat(log.queued(lease, -1)).isZero();
  }

  private OffsetDateTime column(String name) {
    return pod.jdbc
        .sql("select " + name + " from endpoint where subscription_pk = :pk")
        .param("pk", orders)
        .query(OffsetDateTime.class)
        .single();
  }

  /** Up to the time that passed in between. */
  private static void assertSame(EndpointState left, EndpointState written) {
    assertThat(left.open()).isEqualTo(written.open());
    assertThat(left.reason()).isEqualTo(written.reason());
    assertThat(left.failures()).isEqualTo(written.failures());
    assertThat(left.openings()).isEqualTo(written.openings());
    assertThat(left.shutFor()).isBetween(written.shutFor().minusSeconds(50), written.shutFor());
    assertThat(left.failingFor())
        .isBetween(written.failingFor(), written.failingFor().plusSeconds(50));
  }
}
