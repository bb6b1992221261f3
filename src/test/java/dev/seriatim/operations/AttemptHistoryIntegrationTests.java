package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestService;
import dev.seriatim.partition.WorkerName;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The history as the whole service writes and shows it. */
class AttemptHistoryIntegrationTests {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String[] TOKEN = {"Authorization", "Bearer 0123456789abcdef"};

  @Test
  void tellsWhyAWebhookFailed() {
    try (TestService service =
        TestService.start(
            "seriatim.partitions.count=4",
            "seriatim.targets.allow=127.0.0.0/8",
            "seriatim.security.token=0123456789abcdef")) {
      // Nothing listens on the discard port.
      service.post(
          "/v1/subscriptions",
          """
          {"id": "s", "tenant": "acme", "url": "http://127.0.0.1:9/",
           "retry": {"maxAttempts": 2, "initialDelay": "PT0.01S"}}
          """,
          TOKEN);
      service.post(
          "/v1/events",
          """
          {"id": "e1", "tenant": "acme", "type": "x", "payload": 1}
          """,
          TOKEN);

      JsonNode attempts =
          await()
              .atMost(PATIENCE)
              .until(
                  () ->
                      service.get("/v1/attempts?tenant=acme&event=e1", TOKEN).json().path("items"),
                  items -> items.size() == 2);

      JsonNode last = attempts.get(0);
      assertThat(last.get("attempt").asInt()).isEqualTo(2);
      assertThat(last.get("verdict").asString()).isEqualTo("CONNECT_REFUSED");
      assertThat(last.get("subscription").asString()).isEqualTo("s");
      assertThat(last.get("key").asString()).isEqualTo("s");
      assertThat(last.get("sequence").asInt()).isEqualTo(1);
      assertThat(last.get("owner").asString()).isEqualTo(service.bean(WorkerName.class).value());
      assertThat(attempts.get(1).get("attempt").asInt()).isEqualTo(1);
      for (String query : new String[] {"subscription=s&key=s", "tenant=acme&failed=true"}) {
        assertThat(service.get("/v1/attempts?" + query, TOKEN).json().get("items"))
            .as(query)
            .isEqualTo(attempts);
      }
      assertThat(service.get("/v1/attempts?subscription=s").status()).isEqualTo(401);

      JsonNode api = service.get("/v3/api-docs", TOKEN).json();
      JsonNode list = api.path("paths").path("/v1/attempts").path("get");
      assertThat(list.path("parameters").findValuesAsString("name"))
          .containsExactly(
              "tenant",
              "subscription",
              "event",
              "key",
              "verdict",
              "failed",
              "from",
              "to",
              "cursor",
              "limit");
      assertThat(list.path("parameters").toString()).contains("CONNECTION_LOST");
      assertThat(api.at("/components/schemas/ListedAttempt/properties").propertyNames())
          .containsAll(last.propertyNames());
    }
  }
}
