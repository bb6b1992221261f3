package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestDatabase;
import dev.seriatim.TestService;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** W10: the JVM in one odd time zone, the database and the pod's sessions in another. */
class TimeZonesIntegrationTests {

  private static final String DATABASE_ZONE = "America/St_Johns";

  private final TimeZone usual = TimeZone.getDefault();

  @BeforeEach
  void moveToKathmandu() {
    TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
  }

  @AfterEach
  void moveBack() {
    TimeZone.setDefault(usual);
  }

  @Test
  void retriesComeOnTimeWhateverTheTimeZones() {
    try (TestDatabase database = TestDatabase.create()) {
      JdbcClient admin = JdbcClient.create(database.dataSource(1));
      String name = admin.sql("select current_database()").query(String.class).single();
      admin.sql("alter database " + name + " set timezone = '" + DATABASE_ZONE + "'").update();
      // The driver asks for the JVM's zone in every session, so the database's alone would do
      // nothing.
      try (TestService pod =
              Pod.startOn(
                  database,
                  "spring.datasource.hikari.connection-init-sql=set timezone = '"
                      + DATABASE_ZONE
                      + "'");
          Scenario scenario = new Scenario("w10", database, pod)) {
        scenario.receiver.on("/quick", Behaviour.failingFirst(2));
        scenario.receiver.on("/hour", Behaviour.failingFirst(1));
        scenario.subscribe("quick", "SUBSCRIPTION", Scenario.QUICK);
        scenario.subscribe(
            "hour",
            "SUBSCRIPTION",
            """
            {"initialDelay": "PT1H", "maxDelay": "PT1H", "jitter": 0}""");

        Instant before = Instant.now();
        scenario.publish("e1", "r");
        scenario.receiver.awaitAcknowledged(1);
        scenario.awaitQueued(1);

        Map<String, Object> waiting =
            scenario
                .jdbc()
                .sql("select next_attempt_at, first_attempt_at from delivery")
                .query()
                .singleRow();
        Instant next = ((Timestamp) waiting.get("next_attempt_at")).toInstant();
        assertThat(Duration.between(before, next))
            .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(65));
        assertThat(scenario.status("e1").at("/deliveries"))
            .anySatisfy(
                delivery -> {
                  assertThat(delivery.at("/state").asString("")).isEqualTo("WAITING");
                  assertThat(Instant.parse(delivery.at("/nextAttemptAt").asString("")))
                      .isEqualTo(next);
                });
        scenario.delete("hour");
        scenario.endsInOrder(0, Scenario.upTo(1));
      }
    }
  }
}
