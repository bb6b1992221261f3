package dev.seriatim.subscription;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** Subscriptions in a test's database, made as the API makes them. */
public final class TestSubscriptions {

  private final SubscriptionStore store;
  private final SubscriptionDirectory directory;

  public TestSubscriptions(DataSource dataSource) {
    JdbcClient jdbc = JdbcClient.create(dataSource);
    SubscriptionRows rows = new SubscriptionRows(JsonMapper.shared());
    this.store = new SubscriptionStore(jdbc, rows);
    this.directory = new SubscriptionDirectory(jdbc, rows);
  }

  /** What publishers and owners ask. */
  public SubscriptionDirectory directory() {
    return directory;
  }

  /** As {@link #directory()}, but something happens after each load, before its caller hears. */
  public static SubscriptionDirectory directory(DataSource dataSource, Runnable afterLoad) {
    return new SubscriptionDirectory(
        JdbcClient.create(dataSource), new SubscriptionRows(JsonMapper.shared())) {
      @Override
      public List<Subscription> load(Collection<Long> pks) {
        List<Subscription> loaded = super.load(pks);
        afterLoad.run();
        return loaded;
      }
    };
  }

  /**
   * @param types all when none is given
   * @return its number
   */
  public long create(String id, String tenant, OrderingScope ordering, String... types) {
    return store
        .insert(
            spec(id, tenant, ordering, "https://a.example/", types), WebhookSecret.of(new byte[32]))
        .orElseThrow()
        .pk();
  }

  /** Changes nothing but the URL of one with the ordering scope {@code RESOURCE}. */
  public void redirect(String id, String tenant, String url) {
    var _ = store.update(spec(id, tenant, OrderingScope.RESOURCE, url)).orElseThrow();
  }

  public void disable(String id) {
    store.move(id, Subscription.State.DISABLED, "test");
  }

  public void enable(String id) {
    store.move(id, Subscription.State.ENABLED, null);
  }

  public void delete(String id) {
    store.move(id, Subscription.State.DELETED, null);
  }

  private static SubscriptionSpec spec(
      String id, String tenant, OrderingScope ordering, String url, String... types) {
    return new SubscriptionSpec(
        id,
        tenant,
        URI.create(url),
        types.length == 0 ? List.of("*") : Arrays.asList(types),
        ordering,
        OnExhausted.EJECT,
        Blocks.LANE,
        new RetryPolicy(
            3, Duration.ofMillis(10), 2, Duration.ofSeconds(1), 0.2, Duration.ofHours(1)),
        Duration.ofSeconds(1),
        4,
        null,
        Map.of());
  }
}
