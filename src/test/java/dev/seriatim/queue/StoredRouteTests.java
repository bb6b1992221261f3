package dev.seriatim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StoredRouteTests {

  private static final List<StoredRoute> ROUTES =
      List.of(
          new StoredRoute(17, 3, "orders-acme", 5L, "order_\"7\"", Long.MAX_VALUE, 63),
          new StoredRoute(18, 4, "audit", null, null, null, 0));

  private static final String JSON =
      """
      [{"delivery":17,"pk":3,"subscription":"orders-acme","lane":5,"key":"order_\\"7\\"","sequence":9223372036854775807,"partition":63},\
      {"delivery":18,"pk":4,"subscription":"audit","partition":0}]""";

  /** The text is in databases: members may be added, never renamed. */
  @Test
  void storedFormNeverChanges() {
    assertThat(StoredRoute.toJson(ROUTES)).isEqualTo(JSON);
    assertThat(StoredRoute.fromJson(JSON)).isEqualTo(ROUTES);
    assertThat(StoredRoute.toJson(List.of())).isEqualTo("[]");
    assertThat(StoredRoute.fromJson("[]")).isEmpty();
  }

  /** PostgreSQL's jsonb puts members into an order of its own. */
  @Test
  void orderOfMembersDoesNotMatter() {
    assertThat(
            StoredRoute.fromJson(
                """
                [{"pk": 4, "delivery": 18, "partition": 0, "subscription": "audit"}]"""))
        .containsExactly(ROUTES.getLast());
  }

  /** An older version reads what a newer one has written, during a rolling deploy. */
  @Test
  void unknownMembersAreIgnored() {
    assertThat(
            StoredRoute.fromJson(
                """
                [{"delivery": 18, "pk": 4, "subscription": "audit", "partition": 0, "new": {"x": 1}}]"""))
        .containsExactly(ROUTES.getLast());
  }

  @Test
  void emptyKeySurvives() {
    List<StoredRoute> routes = List.of(new StoredRoute(1, 2, "s", 3L, "", 1L, 0));

    assertThat(StoredRoute.fromJson(StoredRoute.toJson(routes))).isEqualTo(routes);
  }
}
