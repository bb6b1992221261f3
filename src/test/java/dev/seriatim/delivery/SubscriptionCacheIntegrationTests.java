package dev.seriatim.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.SubscriptionDirectory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class SubscriptionCacheIntegrationTests {

  @Test
  void changeBetweenTheFirstReadAndTheFirstRefreshIsHeardOf() {
    try (TestService service = TestService.start()) {
      service.post(
          "/v1/subscriptions",
          """
          {"id": "s", "tenant": "acme", "url": "https://hooks.example.com/"}""");
      long pk =
          service
              .bean(JdbcClient.class)
              .sql("select pk from subscription")
              .query(Long.class)
              .single();
      SubscriptionCache cache = new SubscriptionCache(service.bean(SubscriptionDirectory.class));
      cache.require(List.of(pk));

      assertThat(service.post("/v1/subscriptions/s/disable", null).status()).isEqualTo(200);

      assertThat(cache.refresh()).containsExactly(pk);
      assertThat(cache.get(pk).state()).isEqualTo(Subscription.State.DISABLED);
    }
  }
}
