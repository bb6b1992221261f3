package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OrderingScopeTests {

  @Test
  void subscriptionIsOneLaneWhateverTheResource() {
    assertThat(OrderingScope.SUBSCRIPTION.key("acme", "orders", "order_7")).isEqualTo("orders");
    assertThat(OrderingScope.SUBSCRIPTION.key("acme", "orders", null)).isEqualTo("orders");
  }

  @Test
  void resourceIsTheKeyOfItsLane() {
    assertThat(OrderingScope.RESOURCE.key("acme", "orders", "order_7")).isEqualTo("order_7");
  }

  /** Case O8. */
  @Test
  void emptyResourceIsNotAMissingOne() {
    assertThat(OrderingScope.RESOURCE.key("acme", "orders", "")).isEmpty();
    assertThat(OrderingScope.RESOURCE.key("acme", "orders", null)).isEqualTo("orders");
  }

  /** Case O8: nothing is trimmed, folded or normalized. */
  @Test
  void resourcesThatOnlyLookAlikeAreDifferentKeys() {
    assertThat(OrderingScope.RESOURCE.key("acme", "orders", "Zo\u00eb")).isEqualTo("Zo\u00eb");
    assertThat(OrderingScope.RESOURCE.key("acme", "orders", "Zoe\u0308")).isEqualTo("Zoe\u0308");
    assertThat(OrderingScope.RESOURCE.key("acme", "orders", " A ")).isEqualTo(" A ");
  }

  @Test
  void tenantIsOneLaneForAllItsSubscriptions() {
    assertThat(OrderingScope.TENANT.key("acme", "orders", "order_7")).isEqualTo("acme");
    assertThat(OrderingScope.TENANT.key("acme", "invoices", null)).isEqualTo("acme");
    assertThat(OrderingScope.TENANT.sharedByTenant()).isTrue();
    assertThat(OrderingScope.RESOURCE.sharedByTenant()).isFalse();
    assertThat(OrderingScope.SUBSCRIPTION.sharedByTenant()).isFalse();
    assertThat(OrderingScope.NONE.sharedByTenant()).isFalse();
  }

  @Test
  void withoutOrderThereIsNoKey() {
    assertThat(OrderingScope.NONE.key("acme", "orders", "order_7")).isNull();
  }

  @Test
  void allLanesOfAnEndpointAreRoutedAlike() {
    assertThat(OrderingScope.SUBSCRIPTION.routingKey("acme", "orders")).isEqualTo("orders");
    assertThat(OrderingScope.RESOURCE.routingKey("acme", "orders")).isEqualTo("orders");
    assertThat(OrderingScope.NONE.routingKey("acme", "orders")).isEqualTo("orders");
    assertThat(OrderingScope.TENANT.routingKey("acme", "orders")).isEqualTo("acme");
  }
}
