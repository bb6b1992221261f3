package dev.seriatim.operations;

import dev.seriatim.api.ProblemException;
import dev.seriatim.api.ProblemType;
import dev.seriatim.subscription.Subscription;
import dev.seriatim.subscription.SubscriptionDirectory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Finds subscriptions by the ids that clients know. Thread-safe; blocks for two round trips. */
@Component
class SubscriptionNames {

  private static final String FIND =
      "select pk from subscription where id = :id and state <> 'DELETED'";

  private final JdbcClient jdbc;
  private final SubscriptionDirectory subscriptions;

  SubscriptionNames(JdbcClient jdbc, SubscriptionDirectory subscriptions) {
    this.jdbc = jdbc;
    this.subscriptions = subscriptions;
  }

  /**
   * @throws ProblemException when there is none, or only deleted ones
   */
  Subscription find(String id) {
    return subscriptions
        .load(jdbc.sql(FIND).param("id", id).query((row, number) -> row.getLong("pk")).list())
        .stream()
        .filter(found -> found.state() != Subscription.State.DELETED)
        .findFirst()
        .orElseThrow(
            () -> new ProblemException(ProblemType.NOT_FOUND, "There is no subscription " + id));
  }
}
