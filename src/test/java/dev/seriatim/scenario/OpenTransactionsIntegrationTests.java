package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.seriatim.TestService;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A receiver takes the time it takes; the database must not have to wait for it. */
class OpenTransactionsIntegrationTests {

  private static final String IDLE_IN_TRANSACTION =
      """
      select count(*) from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'
      """;

  @Test
  void noTransactionIsOpenWhileRequestsAreUnderWay() {
    try (TestService pod = Pod.start();
        Scenario scenario = Scenario.on(pod, "no-transaction")) {
      Gate gate = new Gate(Behaviour.always(200));
      scenario.receiver.on("/no-transaction", gate);
      scenario.subscribe("no-transaction", "NONE", Scenario.QUICK);
      scenario.patch("no-transaction", "{\"maxInFlight\": 50}");
      List<String> events = new ArrayList<>();
      for (int number = 0; number < 50; number++) {
        events.add(scenario.event("e" + number, "r"));
      }
      scenario.publishAll(events);
      scenario.receiver.awaitArrived(50, "requests that hang", any -> true);

      // The pod looks around every second, with a connection for a moment: a moment without must
      // come.
      HikariDataSource pool = (HikariDataSource) pod.bean(DataSource.class);
      Patience.until(
          "no connection is in use",
          () ->
              pool.getHikariPoolMXBean().getActiveConnections() == 0
                  && scenario.jdbc().sql(IDLE_IN_TRANSACTION).query(Integer.class).single() == 0);
      assertThat(scenario.receiver.log()).hasSize(50).allMatch(request -> request.status() == 0);

      gate.open();
      scenario.receiver.awaitAcknowledged(50);
      scenario.endsInOrder();
    }
  }
}
