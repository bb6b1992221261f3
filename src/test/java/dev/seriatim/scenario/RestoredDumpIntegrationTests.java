package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A dump is restored into another cluster, whose transactions have lower numbers than those that
 * queued what is in the dump.
 */
class RestoredDumpIntegrationTests {

  /** What postgresql.md says to do then: its only statements that update. */
  private static final Pattern RESET = Pattern.compile("(?m)^update .*;$");

  /** As if the former cluster had been at work for years. */
  private static final String OLD_CLUSTER =
      """
      update delivery set tx = (tx::text::bigint + 1000000000)::text::xid8;
      update subscription set changed_tx = (changed_tx::text::bigint + 1000000000)::text::xid8;
      update lane set changed_tx = '1000000000';
      """;

  private static final int COUNT = 40;

  @ParameterizedTest(name = "numbers of transactions reset: {0}")
  @ValueSource(booleans = {true, false})
  void orderHoldsAcrossTheRestore(boolean reset) throws IOException {
    try (TestDatabase database = TestDatabase.create();
        TestService before = Pod.startOn(database);
        Scenario scenario = new Scenario("restored", database, before)) {
      JdbcClient jdbc = JdbcClient.create(database.dataSource(1));
      scenario.subscribe("restored", "RESOURCE", Scenario.QUICK);
      all(before, "pause");
      publish(before, scenario, 0);
      before.close();

      jdbc.sql(OLD_CLUSTER).update();
      if (reset) {
        String manual = Files.readString(Path.of("src", "docs", "postgresql.md"));
        List<String> statements = RESET.matcher(manual).results().map(MatchResult::group).toList();
        assertThat(statements).hasSize(3);
        statements.forEach(statement -> jdbc.sql(statement).update());
      }

      try (TestService after = Pod.startOn(database)) {
        all(after, "resume");
        publish(after, scenario, COUNT);

        scenario.endsInOrder();
        assertThat(scenario.receiver.acknowledged()).isEqualTo(2 * COUNT);
      }
    }
  }

  private static void all(TestService pod, String action) {
    for (int partition = 0; partition < Pod.PARTITIONS; partition++) {
      pod.post("/v1/partitions/" + partition + "/" + action, "{\"reason\": \"a backup\"}");
    }
  }

  private static void publish(TestService pod, Scenario scenario, int from) {
    for (int i = from; i < from + COUNT; i++) {
      assertThat(pod.post("/v1/events", scenario.event("e" + i, "r" + i % 4)).status())
          .isEqualTo(202);
    }
  }
}
