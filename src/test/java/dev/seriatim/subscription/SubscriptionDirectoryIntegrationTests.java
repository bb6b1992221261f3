package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.subscription.SubscriptionDirectory.Changes;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tools.jackson.databind.json.JsonMapper;

class SubscriptionDirectoryIntegrationTests {

  private final TestDatabase database = TestDatabase.create();
  private SubscriptionStore store;
  private SubscriptionDirectory directory;

  @BeforeEach
  void start() {
    DataSource dataSource = database.dataSource();
    store = store(dataSource);
    directory = directory(dataSource);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void onlyEnabledSubscriptionsOfTheTenantsMatch() {
    insert("a-2", "a");
    insert("a-1", "a");
    insert("a-off", "a");
    insert("a-gone", "a");
    insert("b-1", "b");
    insert("c-1", "c");
    store.move("a-off", Subscription.State.DISABLED, "test");
    store.move("a-gone", Subscription.State.DELETED, null);

    List<SubscriptionMatch> matches = directory.enabledFor(Set.of("a", "b", "unknown"));

    assertThat(matches).extracting(SubscriptionMatch::id).containsExactly("a-1", "a-2", "b-1");
    assertThat(matches.getFirst().ordering()).isEqualTo(OrderingScope.RESOURCE);
    assertThat(matches.getFirst().wants("order.paid")).isTrue();
    assertThat(matches.getFirst().wants("invoice.paid")).isFalse();
    assertThat(directory.enabledFor(Set.of())).isEmpty();
  }

  @Test
  void subscriptionIsLoadedWithItsSecretsNewestFirst() {
    long pk = insert("a", "t");
    WebhookSecret newer = WebhookSecret.of(new byte[32]);
    JdbcClient.create(database.dataSource())
        .sql("insert into subscription_secret (subscription_pk, secret) values (:pk, :secret)")
        .param("pk", pk)
        .param("secret", newer.reveal())
        .update();

    Subscription loaded = directory.load(List.of(pk, 999L)).getFirst();

    assertThat(loaded.secrets())
        .extracting(WebhookSecret::reveal)
        .containsExactly(newer.reveal(), SECRET.reveal());
    assertThat(loaded.url()).isEqualTo(URI.create("https://a.example/"));
    assertThat(loaded.retry()).isEqualTo(SPEC_RETRY);
    assertThat(loaded.headers()).isEqualTo(Map.of("X-A", "1"));
    assertThat(directory.load(List.of())).isEmpty();
  }

  @Test
  void everyKindOfChangeIsSeenOnce() {
    Changes begin = directory.changedSince(null);
    assertThat(begin.pks()).isEmpty();

    long pk = insert("a", "t");
    long xmin = assertChanged(begin.snapshotXmin(), pk);
    store.update(spec("a", "t"));
    xmin = assertChanged(xmin, pk);
    store.move("a", Subscription.State.DISABLED, "r");
    xmin = assertChanged(xmin, pk);
    store.move("a", Subscription.State.ENABLED, null);
    xmin = assertChanged(xmin, pk);
    store.move("a", Subscription.State.DELETED, null);
    xmin = assertChanged(xmin, pk);
    store.move("a", Subscription.State.DELETED, null);

    assertThat(directory.changedSince(xmin).pks()).isEmpty();
  }

  /** Case O5, for subscriptions. */
  @Test
  void changeThatCommitsLateIsNotMissed() throws SQLException {
    long slowPk = insert("slow", "t");
    long xmin = directory.changedSince(null).snapshotXmin();

    try (Connection connection = database.dataSource(1).getConnection()) {
      connection.setAutoCommit(false);
      store(new SingleConnectionDataSource(connection, true))
          .move("slow", Subscription.State.DISABLED, "late");
      long quickPk = insert("quick", "t");
      Changes meanwhile = directory.changedSince(xmin);
      assertThat(meanwhile.pks()).containsExactly(quickPk);

      connection.commit();

      Changes late = directory.changedSince(meanwhile.snapshotXmin());
      assertThat(late.pks()).contains(slowPk);
      assertThat(directory.changedSince(late.snapshotXmin()).pks()).isEmpty();
    }
  }

  private static final WebhookSecret SECRET = WebhookSecret.of(new byte[24]);
  private static final RetryPolicy SPEC_RETRY =
      new RetryPolicy(3, Duration.ofMillis(1), 1.5, Duration.ofDays(1), 0.5, Duration.ofHours(2));

  private long assertChanged(long xmin, long pk) {
    Changes changes = directory.changedSince(xmin);
    assertThat(changes.pks()).containsExactly(pk);
    return changes.snapshotXmin();
  }

  private long insert(String id, String tenant) {
    return store.insert(spec(id, tenant), SECRET).orElseThrow().pk();
  }

  private static SubscriptionSpec spec(String id, String tenant) {
    return new SubscriptionSpec(
        id,
        tenant,
        URI.create("https://a.example/"),
        List.of("order.*"),
        OrderingScope.RESOURCE,
        OnExhausted.EJECT,
        Blocks.LANE,
        SPEC_RETRY,
        Duration.ofSeconds(1),
        4,
        null,
        Map.of("X-A", "1"));
  }

  private static SubscriptionStore store(DataSource dataSource) {
    return new SubscriptionStore(
        JdbcClient.create(dataSource), new SubscriptionRows(JsonMapper.shared()));
  }

  private static SubscriptionDirectory directory(DataSource dataSource) {
    return new SubscriptionDirectory(
        JdbcClient.create(dataSource), new SubscriptionRows(JsonMapper.shared()));
  }
}
