package dev.seriatim.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import dev.seriatim.subscription.RetryPolicy.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class SubscriptionIntegrationTests {

  private static final String PATH = "/v1/subscriptions";
  private static final JsonMapper JSON = JsonMapper.shared();

  private static TestService service;

  @BeforeAll
  static void start() {
    service = TestService.start("seriatim.targets.allow=10.0.0.1/32");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void onlyTenantAndUrlAreNeeded() {
    Answer created =
        service.post(PATH, "{\"tenant\": \"minimal\", \"url\": \"https://hooks.example/in\"}");

    assertThat(created.status()).as(created.body()).isEqualTo(201);
    String id = created.text("/id");
    assertThat(id).matches("sub_[A-Za-z0-9]{16}");
    assertThat(created.header("Location")).isEqualTo(PATH + "/" + id);
    assertThat(created.text("/secret")).matches("whsec_[A-Za-z0-9+/]{43}=");
    assertThat(WebhookSecret.parse(created.text("/secret")).key()).hasSize(32);
    assertThat(Instant.parse(created.text("/createdAt")))
        .isEqualTo(Instant.parse(created.text("/updatedAt")));
    assertThat(without(created, "id", "secret", "createdAt", "updatedAt"))
        .isEqualTo(
            JSON.readTree(
                """
                {"tenant": "minimal", "url": "https://hooks.example/in", "eventTypes": ["*"],
                 "ordering": "SUBSCRIPTION", "onExhausted": "EJECT", "blocks": "LANE",
                 "retry": {"maxAttempts": 8, "initialDelay": "PT5S", "multiplier": 4.0,
                           "maxDelay": "PT10H", "jitter": 0.2, "maxAge": "P3D"},
                 "timeout": "PT15S", "maxInFlight": 16, "headers": {}, "state": "ENABLED",
                 "endpoint": {"state": "CLOSED"}}
                """));
  }

  @Test
  void everythingGivenIsKept() {
    String secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    String request =
        """
        {"id": "orders-full", "tenant": "full ü", "url": "http://10.0.0.1:8080/a?b=c%20d",
         "eventTypes": ["order.*", "invoice.paid"], "ordering": "RESOURCE", "onExhausted": "EJECT",
         "blocks": "LANE",
         "retry": {"maxAttempts": 1, "initialDelay": "PT0S", "multiplier": 1.5, "maxDelay": "PT1.5S",
                   "jitter": 0.0, "maxAge": "PT36H"},
         "timeout": "PT0.25S", "maxInFlight": 1000,
         "rateLimit": {"limit": 10, "per": "PT1M", "burst": 20},
         "headers": {"X-Env": "prod", "Authorization": "Basic abc", "User-Agent": "me"}}
        """;

    Answer created =
        service.post(PATH, request.replaceFirst("}\\s*$", ", \"secret\": \"" + secret + "\"}"));

    assertThat(created.status()).as(created.body()).isEqualTo(201);
    assertThat(created.text("/secret")).isEqualTo(secret);
    assertThat(without(created, "secret", "state", "endpoint", "createdAt", "updatedAt"))
        .isEqualTo(JSON.readTree(request));
    assertThat(load("orders-full").secrets())
        .extracting(WebhookSecret::reveal)
        .containsExactly(secret);
  }

  @Test
  void secretIsShownOnce() {
    create("once");

    assertThat(service.get(PATH + "/once").json().has("secret")).isFalse();
    assertThat(service.get(PATH + "?tenant=acme").body()).doesNotContain("whsec_");
    assertThat(service.send("PATCH", PATH + "/once", "{}").body()).doesNotContain("whsec_");
    assertThat(service.post(PATH + "/once/enable", null).body()).doesNotContain("whsec_");
  }

  @Test
  void idInUseIsAConflictUntilItIsDeleted() {
    create("taken");

    Answer again = service.post(PATH, body("taken"));
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.text("/type")).isEqualTo("/problems/conflict");
    assertThat(again.text("/detail")).contains("taken");
    assertThat(
            service
                .bean(JdbcClient.class)
                .sql(
                    "select count(*) from subscription_secret k join subscription s on s.pk ="
                        + " k.subscription_pk where s.id = 'taken'")
                .query(Long.class)
                .single())
        .isEqualTo(1);

    assertThat(service.send("DELETE", PATH + "/taken", null).status()).isEqualTo(204);
    assertThat(service.post(PATH, body("taken")).status()).isEqualTo(201);
  }

  @Test
  void deletedSubscriptionIsGoneFromTheApi() {
    create("going");
    long pk = pk("going");

    Answer deleted = service.send("DELETE", PATH + "/going", null);

    assertThat(deleted.status()).isEqualTo(204);
    assertThat(deleted.body()).isEmpty();
    assertThat(service.get(PATH + "/going").status()).isEqualTo(404);
    assertThat(service.send("DELETE", PATH + "/going", null).status()).isEqualTo(404);
    assertThat(service.send("PATCH", PATH + "/going", "{}").status()).isEqualTo(404);
    assertThat(service.post(PATH + "/going/enable", null).status()).isEqualTo(404);
    assertThat(service.post(PATH + "/going/disable", null).status()).isEqualTo(404);
    assertThat(service.get(PATH + "?limit=500").body()).doesNotContain("\"going\"");
    assertThat(service.bean(SubscriptionDirectory.class).load(List.of(pk)))
        .extracting(Subscription::state)
        .containsExactly(Subscription.State.DELETED);
  }

  @Test
  void disablingAndEnablingCanBeRepeated() {
    create("switch");

    Answer disabled = service.post(PATH + "/switch/disable", "{\"reason\": \"maintenance\"}");
    assertThat(disabled.status()).as(disabled.body()).isEqualTo(200);
    assertThat(disabled.text("/state")).isEqualTo("DISABLED");
    assertThat(disabled.text("/disabledReason")).isEqualTo("maintenance");
    assertThat(service.post(PATH + "/switch/disable", null).body()).isEqualTo(disabled.body());

    Answer enabled = service.post(PATH + "/switch/enable", null);
    assertThat(enabled.text("/state")).isEqualTo("ENABLED");
    assertThat(enabled.json().has("disabledReason")).isFalse();
    assertThat(Instant.parse(enabled.text("/updatedAt")))
        .isAfter(Instant.parse(disabled.text("/updatedAt")));
    assertThat(service.post(PATH + "/switch/enable", null).body()).isEqualTo(enabled.body());

    assertThat(service.post(PATH + "/switch/disable", null).text("/disabledReason"))
        .isEqualTo("by operator");
  }

  @Test
  void reasonIsChecked() {
    create("reason");

    for (String reason :
        new String[] {"\"\"", "\"a\\u0000b\"", "5", "\"" + "x".repeat(1001) + "\""}) {
      Answer answer = service.post(PATH + "/reason/disable", "{\"reason\": " + reason + "}");
      assertThat(answer.status()).as(reason).isEqualTo(400);
      assertThat(answer.text("/field")).isEqualTo("reason");
    }
    assertThat(service.post(PATH + "/reason/disable", "{\"because\": \"x\"}").text("/field"))
        .isEqualTo("because");
    assertThat(service.get(PATH + "/reason").text("/state")).isEqualTo("ENABLED");
  }

  @Test
  void patchChangesWhatItNamesAndNothingElse() {
    Answer before = create("patched");

    Answer after =
        service.send(
            "PATCH",
            PATH + "/patched",
            """
            {"url": "https://new.example/", "retry": {"maxAttempts": 3, "maxAge": "PT1H"},
             "headers": {"X-New": "1"}, "maxInFlight": 1}
            """,
            "Content-Type",
            "application/merge-patch+json");

    assertThat(after.status()).as(after.body()).isEqualTo(200);
    assertThat(after.text("/url")).isEqualTo("https://new.example/");
    assertThat(after.json().at("/retry").toString())
        .isEqualTo(
            "{\"maxAttempts\":3,\"initialDelay\":\"PT5S\",\"multiplier\":4.0,\"maxDelay\":\"PT10H\",\"jitter\":0.2,\"maxAge\":\"PT1H\"}");
    assertThat(after.json().at("/headers"))
        .isEqualTo(JSON.readTree("{\"X-Env\": \"prod\", \"X-New\": \"1\"}"));
    assertThat(Instant.parse(after.text("/updatedAt")))
        .isAfter(Instant.parse(before.text("/updatedAt")));
    assertThat(without(after, "url", "retry", "headers", "maxInFlight", "updatedAt"))
        .isEqualTo(
            without(before, "url", "retry", "headers", "maxInFlight", "updatedAt", "secret"));
    assertThat(service.get(PATH + "/patched").body()).isEqualTo(after.body());
  }

  @Test
  void nullInAPatchResetsToTheDefault() {
    create("reset");

    Answer after =
        service.send(
            "PATCH",
            PATH + "/reset",
            "{\"eventTypes\": null, \"retry\": {\"maxAttempts\": null}, \"headers\": {\"X-Env\": null}}");

    assertThat(after.status()).as(after.body()).isEqualTo(200);
    assertThat(after.json().at("/eventTypes").toString()).isEqualTo("[\"*\"]");
    assertThat(after.json().at("/retry/maxAttempts").asInt()).isEqualTo(8);
    assertThat(after.json().at("/headers").isEmpty()).isTrue();
  }

  @Test
  void scheduleIsKeptAndSaysHowManyAttemptsThereAre() {
    create("scheduled", "{\"schedule\": [\"PT5S\", \"PT0S\", \"PT36H\"], \"jitter\": 0.1}");

    assertThat(retry("scheduled"))
        .isEqualTo(
            JSON.readTree(
                """
                {"schedule": ["PT5S", "PT0S", "PT36H"], "maxAttempts": 4, "jitter": 0.1, "maxAge": "P3D"}
                """));
    assertThat(load("scheduled").retry())
        .isEqualTo(
            new RetryPolicy(
                new Schedule(List.of(Duration.ofSeconds(5), Duration.ZERO, Duration.ofHours(36))),
                0.1,
                Duration.ofDays(3)));
  }

  @Test
  void presetIsShownAsTheScheduleThatItStandsFor() {
    create("preset", "{\"preset\": \"STANDARD_WEBHOOKS\", \"maxAge\": \"P4D\"}");

    assertThat(retry("preset"))
        .isEqualTo(
            JSON.readTree(
                """
                {"schedule": ["PT5S", "PT5M", "PT30M", "PT2H", "PT5H", "PT10H", "PT14H", "PT20H", "P1D"],
                 "maxAttempts": 10, "jitter": 0.2, "maxAge": "P4D"}
                """));
  }

  @Test
  void patchGoesFromABackoffToAScheduleAndBack() {
    create("switched", "{\"maxAttempts\": 5, \"multiplier\": 2, \"jitter\": 0.1}");
    String backoff =
        "{\"maxAttempts\":8,\"initialDelay\":\"PT5S\",\"multiplier\":4.0,\"maxDelay\":\"PT10H\",\"jitter\":0.1,\"maxAge\":\"P3D\"}";
    String schedule =
        "{\"schedule\":[\"PT1S\",\"PT2S\"],\"maxAttempts\":3,\"jitter\":0.1,\"maxAge\":\"P3D\"}";

    assertThat(patchRetry("switched", "{\"schedule\": [\"PT1S\", \"PT2S\"]}")).isEqualTo(schedule);
    assertThat(patchRetry("switched", "{\"schedule\": null}")).isEqualTo(backoff);
    assertThat(patchRetry("switched", "{\"preset\": \"STANDARD_WEBHOOKS\"}"))
        .startsWith("{\"schedule\":[\"PT5S\",\"PT5M\",")
        .contains("\"maxAttempts\":10");
    assertThat(patchRetry("switched", "{\"initialDelay\": \"PT5S\"}")).isEqualTo(backoff);
    // What was read can be written again.
    assertThat(patchRetry("switched", schedule)).isEqualTo(schedule);
    assertThat(patchRetry("switched", "{\"maxAge\": \"P4D\", \"maxDelay\": null}"))
        .isEqualTo(schedule.replace("P3D", "P4D"));
    assertThat(patchRetry("switched", "{\"schedule\": [\"PT9S\"], \"maxAge\": null}"))
        .isEqualTo("{\"schedule\":[\"PT9S\"],\"maxAttempts\":2,\"jitter\":0.1,\"maxAge\":\"P3D\"}");
    assertThat(patchRetry("switched", "null")).isEqualTo(backoff.replace("0.1", "0.2"));
  }

  @Test
  void patchOfAnythingElseLeavesTheScheduleAlone() {
    create("left-alone", "{\"schedule\": [\"PT1S\"]}");
    JsonNode before = retry("left-alone");

    assertThat(service.send("PATCH", PATH + "/left-alone", "{\"maxInFlight\": 2}").status())
        .isEqualTo(200);

    assertThat(retry("left-alone")).isEqualTo(before);
  }

  @Test
  void scheduleAndBackoffExcludeEachOther() {
    String wait = "\"schedule\": [\"PT1S\"]";
    for (String other :
        List.of("\"initialDelay\": \"PT1S\"", "\"multiplier\": 2", "\"maxDelay\": \"PT1S\"")) {
      String name = other.substring(1, other.indexOf('"', 1));
      assertCreationRefused(
          "\"retry\": {" + wait + ", " + other + "}",
          "retry.schedule",
          "and retry." + name + " exclude each other; leave one of them out");
    }
    assertCreationRefused(
        "\"retry\": {" + wait + ", \"maxAttempts\": 3}",
        "retry.maxAttempts",
        "must be 2 or left out, one more than there are waits in retry.schedule; it is 3");
    assertCreationRefused(
        "\"retry\": {" + wait + ", \"preset\": \"STANDARD_WEBHOOKS\"}",
        "retry.preset",
        "and retry.schedule exclude each other");
    assertCreationRefused(
        "\"retry\": {\"preset\": \"STANDARD_WEBHOOKS\", \"multiplier\": 2}",
        "retry.preset",
        "and retry.multiplier exclude each other");
    create("either", "{" + wait + "}");
    assertRefused(
        "PATCH", "/either", "{\"retry\": {\"maxAttempts\": 5}}", "retry.maxAttempts", "must be 2");
    assertRefused(
        "PATCH",
        "/either",
        "{\"retry\": {" + wait + ", \"maxDelay\": \"PT1S\"}}",
        "retry.schedule",
        "and retry.maxDelay exclude each other");
  }

  @Test
  void wrongScheduleIsRefused() {
    assertCreationRefused(
        "\"retry\": {\"schedule\": []}", "retry.schedule", "must have 1 to 99 waits, it has 0");
    assertCreationRefused(
        "\"retry\": {\"schedule\": [" + "\"PT1S\",".repeat(99) + "\"PT1S\"]}",
        "retry.schedule",
        "must have 1 to 99 waits, it has 100");
    assertCreationRefused(
        "\"retry\": {\"schedule\": [\"PT1S\", null]}", "retry.schedule[1]", "is required");
    assertCreationRefused(
        "\"retry\": {\"schedule\": [\"PT1S\", 5]}",
        "retry.schedule[1]",
        "must be an ISO 8601 duration");
    assertCreationRefused(
        "\"retry\": {\"schedule\": [\"P8D\"]}", "retry.schedule[0]", "must be from PT0S to");
    assertCreationRefused(
        "\"retry\": {\"schedule\": [\"-PT1S\"]}", "retry.schedule[0]", "must be from PT0S to");
    assertCreationRefused(
        "\"retry\": {\"schedule\": [\"PT0.0001S\"]}",
        "retry.schedule[0]",
        "must be in whole milliseconds");
    assertCreationRefused(
        "\"retry\": {\"schedule\": \"PT1S\"}", "retry.schedule", "must be a JSON array");
    assertCreationRefused(
        "\"retry\": {\"preset\": \"FIBONACCI\"}",
        "retry.preset",
        "must be STANDARD_WEBHOOKS, the only value so far");
  }

  @Test
  void patchOfWhatCannotChangeIsRefusedByName() {
    Answer before = create("fixed");

    for (String field :
        List.of(
            "id",
            "tenant",
            "ordering",
            "createdAt",
            "updatedAt",
            "state",
            "disabledReason",
            "endpoint",
            "secret")) {
      Answer answer = service.send("PATCH", PATH + "/fixed", "{\"" + field + "\": \"fixed\"}");
      assertThat(answer.status()).as(field).isEqualTo(400);
      assertThat(answer.text("/field")).isEqualTo(field);
    }
    assertThat(service.send("PATCH", PATH + "/fixed", "{\"ordering\": null}").text("/detail"))
        .isEqualTo("ordering cannot change after creation; create a new subscription instead");
    assertRefused(
        "PATCH", "/fixed", "{\"retry\": {\"nope\": null}}", "retry.nope", "is not a known");
    assertRefused("PATCH", "/fixed", "{\"url\": null}", "url", "is required");
    assertRefused(
        "PATCH",
        "/fixed",
        "{\"retry\": {\"maxDelay\": \"PT1S\"}}",
        "retry.maxDelay",
        "must be from PT5S");
    assertRefused(
        "PATCH",
        "/fixed",
        "{\"headers\": {\"x-env\": \"b\"}}",
        "headers.x-env",
        "is the same header as X-Env");
    assertThat(service.send("PATCH", PATH + "/fixed", "[]").status()).isEqualTo(400);
    assertThat(without(service.get(PATH + "/fixed"))).isEqualTo(without(before, "secret"));
  }

  @Test
  void parkingNeedsLanes() {
    String refused = "must be EJECT or PAUSE where ordering is NONE";
    assertCreationRefused(
        "\"onExhausted\": \"PARK\", \"ordering\": \"NONE\"", "onExhausted", refused);
    for (String ordering : List.of("SUBSCRIPTION", "RESOURCE", "TENANT", "NONE")) {
      String policy = ordering.equals("NONE") ? "PAUSE" : "PARK";
      Answer created =
          service.post(
              PATH,
              """
              {"id": "parks-%1$s", "tenant": "parks", "url": "https://hooks.example", "ordering": "%1$s", "onExhausted": "%2$s"}"""
                  .formatted(ordering, policy));
      assertThat(created.status()).as(created.body()).isEqualTo(201);
    }

    assertRefused("PATCH", "/parks-NONE", "{\"onExhausted\": \"PARK\"}", "onExhausted", refused);
    assertThat(service.get(PATH + "/parks-NONE").text("/onExhausted")).isEqualTo("PAUSE");
  }

  @Test
  void changesAtTheSameTimeDoNotUndoEachOther() {
    create("contended");

    IntStream.range(0, 20)
        .parallel()
        .forEach(
            i ->
                assertThat(
                        service
                            .send(
                                "PATCH",
                                PATH + "/contended",
                                "{\"headers\": {\"X-%d\": \"\"}}".formatted(i % 10))
                            .status())
                    .isEqualTo(200));

    assertThat(service.get(PATH + "/contended").json().at("/headers").size()).isEqualTo(11);
  }

  @Test
  void wrongFieldIsRefusedWithItsPathAndNothingIsStored() {
    long before = count();

    assertCreationRefused("\"id\": \"\"", "id", "must have 1 to 128");
    assertCreationRefused("\"id\": \"-a\"", "id", "must have 1 to 128");
    assertCreationRefused("\"id\": \"a/b\"", "id", "must have 1 to 128");
    assertCreationRefused("\"id\": \"a\\u0000\"", "id", "must have 1 to 128");
    assertCreationRefused("\"id\": \"" + "a".repeat(129) + "\"", "id", "must have 1 to 128");
    assertCreationRefused("\"tenant\": null", "tenant", "is required");
    assertCreationRefused("\"tenant\": \"\"", "tenant", "must not be empty");
    assertCreationRefused("\"tenant\": 5", "tenant", "must be a string");
    assertCreationRefused("\"tenant\": \"a\\u0000b\"", "tenant", "must not contain control");
    assertCreationRefused("\"tenant\": \"\\ud800\"", "tenant", "must be valid Unicode");
    assertCreationRefused(
        "\"tenant\": \"" + "ü".repeat(129) + "\"", "tenant", "must have at most 256");
    assertCreationRefused("\"eventTypes\": []", "eventTypes", "must have 1 to 100 entries");
    assertCreationRefused("\"eventTypes\": \"a\"", "eventTypes", "must be a JSON array");
    assertCreationRefused("\"eventTypes\": [\"a\", null]", "eventTypes[1]", "is required");
    assertCreationRefused("\"eventTypes\": [\"a\", 1]", "eventTypes[1]", "must be a string");
    assertCreationRefused("\"eventTypes\": [\"a*\"]", "eventTypes[0]", "must be the exact name");
    assertCreationRefused("\"eventTypes\": [\"*.a\"]", "eventTypes[0]", "must be the exact name");
    assertCreationRefused("\"eventTypes\": [\"a.*.*\"]", "eventTypes[0]", "must be the exact name");
    assertCreationRefused("\"eventTypes\": [\".*\"]", "eventTypes[0]", "must be the exact name");
    assertCreationRefused("\"eventTypes\": [\"a b\"]", "eventTypes[0]", "must be the exact name");
    assertCreationRefused(
        "\"eventTypes\": [\"" + "a".repeat(257) + "\"]", "eventTypes[0]", "must have at most 256");
    assertCreationRefused(
        "\"eventTypes\": [" + "\"a\",".repeat(100) + "\"a\"]",
        "eventTypes",
        "must have 1 to 100 entries, it has 101");
    assertCreationRefused(
        "\"ordering\": \"LANE\"",
        "ordering",
        "must be one of SUBSCRIPTION, RESOURCE, TENANT, NONE");
    assertCreationRefused(
        "\"onExhausted\": \"DROP\"", "onExhausted", "must be one of EJECT, PARK, PAUSE");
    assertCreationRefused("\"blocks\": \"ENDPOINT\"", "blocks", "must be one of LANE, PARTITION");
    assertCreationRefused("\"timeout\": \"PT15.001S\"", "timeout", "must be from PT0.1S to PT15S");
    assertCreationRefused("\"timeout\": \"PT0.099S\"", "timeout", "must be from PT0.1S to PT15S");
    assertCreationRefused("\"timeout\": \"PT1.0001S\"", "timeout", "must be in whole milliseconds");
    assertCreationRefused("\"timeout\": 15", "timeout", "must be an ISO 8601 duration");
    assertCreationRefused(
        "\"maxInFlight\": 0", "maxInFlight", "must be a whole number from 1 to 1000, it is 0");
    assertCreationRefused(
        "\"maxInFlight\": 1001", "maxInFlight", "must be a whole number from 1 to 1000");
    assertCreationRefused("\"maxInFlight\": \"16\"", "maxInFlight", "must be a whole number");
    assertCreationRefused("\"state\": \"DISABLED\"", "state", "is set by the service; use POST");
    assertCreationRefused("\"createdAt\": \"x\"", "createdAt", "is set by the service");
    assertCreationRefused("\"colour\": 1", "colour", "is not a known field");
    assertCreationRefused(
        "\"secret\": \"hunter2\"", "secret", "is not usable: a secret starts with whsec_");
    assertCreationRefused("\"secret\": \"whsec_!\"", "secret", "is not usable: what follows");
    assertCreationRefused("\"secret\": \"whsec_AAAA\"", "secret", "is not usable: a secret has 24");

    assertThat(count()).isEqualTo(before);
  }

  @Test
  void wrongUrlIsRefused() {
    assertCreationRefused("\"url\": \"http://127.0.0.1/\"", "url", "must not point to");
    assertCreationRefused("\"url\": null", "url", "is required");
    assertCreationRefused("\"url\": \"\"", "url", "must");
    assertCreationRefused("\"url\": \"hooks.example\"", "url", "must");
    assertCreationRefused("\"url\": \"ftp://hooks.example/\"", "url", "must");
    assertCreationRefused("\"url\": \"https://\"", "url", "must");
    assertCreationRefused("\"url\": \"https:///path\"", "url", "must");
    assertCreationRefused("\"url\": \"https://hooks.example/a b\"", "url", "must be visible ASCII");
    assertCreationRefused(
        "\"url\": \"https://hooks.example/\\u0000\"", "url", "must be visible ASCII");
    assertCreationRefused("\"url\": \"https://bücher.example/\"", "url", "must be visible ASCII");
    assertCreationRefused("\"url\": \"https://hooks.example/%zz\"", "url", "must");
    assertCreationRefused(
        "\"url\": \"https://hooks.example/" + "a".repeat(2027) + "\"",
        "url",
        "must have at most 2048 characters");
  }

  @Test
  void wrongRetryIsRefused() {
    assertCreationRefused("\"retry\": []", "retry", "must be a JSON object");
    assertCreationRefused("\"retry\": {\"attempts\": 1}", "retry.attempts", "is not a known field");
    assertCreationRefused(
        "\"retry\": {\"maxAttempts\": 0}",
        "retry.maxAttempts",
        "must be a whole number from 1 to 100");
    assertCreationRefused(
        "\"retry\": {\"maxAttempts\": 101}",
        "retry.maxAttempts",
        "must be a whole number from 1 to 100");
    assertCreationRefused(
        "\"retry\": {\"maxAttempts\": 1.5}", "retry.maxAttempts", "must be a whole number");
    assertCreationRefused(
        "\"retry\": {\"multiplier\": 0.99}", "retry.multiplier", "must be a number from 1 to 100");
    assertCreationRefused(
        "\"retry\": {\"multiplier\": 1e400}", "retry.multiplier", "must be a number");
    assertCreationRefused(
        "\"retry\": {\"multiplier\": \"NaN\"}", "retry.multiplier", "must be a number");
    assertCreationRefused(
        "\"retry\": {\"jitter\": 1.01}", "retry.jitter", "must be a number from 0 to 1");
    assertCreationRefused(
        "\"retry\": {\"jitter\": -0.1}", "retry.jitter", "must be a number from 0 to 1");
    assertCreationRefused(
        "\"retry\": {\"initialDelay\": \"-PT1S\"}", "retry.initialDelay", "must be from PT0S to");
    assertCreationRefused(
        "\"retry\": {\"initialDelay\": \"P8D\"}", "retry.initialDelay", "must be from PT0S to");
    assertCreationRefused(
        "\"retry\": {\"initialDelay\": \"PT11H\"}", "retry.maxDelay", "must be from PT11H to");
    assertCreationRefused(
        "\"retry\": {\"maxDelay\": \"3D\"}", "retry.maxDelay", "must be an ISO 8601 duration");
    assertCreationRefused(
        "\"retry\": {\"maxAge\": \"PT0S\"}", "retry.maxAge", "must be from PT1S to");
    assertCreationRefused(
        "\"retry\": {\"maxAge\": \"P91D\"}", "retry.maxAge", "must be from PT1S to");
  }

  @Test
  void rateLimitIsCompletedChangedAndRemoved() {
    create("limited");
    assertThat(service.get(PATH + "/limited").json().has("rateLimit")).isFalse();

    assertRateLimit("{\"limit\": 10}", "{\"limit\": 10, \"per\": \"PT1S\", \"burst\": 10}");
    // A burst that nobody wrote follows the limit.
    assertRateLimit("{\"limit\": 20}", "{\"limit\": 20, \"per\": \"PT1S\", \"burst\": 20}");
    assertRateLimit("{\"burst\": 5}", "{\"limit\": 20, \"per\": \"PT1S\", \"burst\": 5}");
    assertRateLimit("{\"per\": \"PT1H\"}", "{\"limit\": 20, \"per\": \"PT1H\", \"burst\": 5}");
    assertRateLimit("{\"burst\": null}", "{\"limit\": 20, \"per\": \"PT1H\", \"burst\": 20}");
    assertThat(load("limited").rateLimit()).isEqualTo(new RateLimit(20, Duration.ofHours(1), 20));

    Answer without = service.send("PATCH", PATH + "/limited", "{\"rateLimit\": null}");
    assertThat(without.status()).isEqualTo(200);
    assertThat(without.json().has("rateLimit")).isFalse();
    assertThat(load("limited").rateLimit()).isNull();
  }

  private static void assertRateLimit(String patch, String expected) {
    Answer answer =
        service.send("PATCH", PATH + "/limited", "{\"rateLimit\": %s}".formatted(patch));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.json().get("rateLimit")).isEqualTo(JSON.readTree(expected));
  }

  @Test
  void wrongRateLimitIsRefused() {
    assertCreationRefused(
        "\"rateLimit\": {}", "rateLimit.limit", "is required; for no limit set rateLimit to null");
    assertCreationRefused("\"rateLimit\": 5", "rateLimit", "must be a JSON object");
    assertCreationRefused(
        "\"rateLimit\": {\"limit\": 0}",
        "rateLimit.limit",
        "must be a whole number from 1 to 100000, it is 0");
    assertCreationRefused(
        "\"rateLimit\": {\"limit\": 1, \"per\": \"PT0.9S\"}",
        "rateLimit.per",
        "must be from PT1S to PT1H");
    assertCreationRefused(
        "\"rateLimit\": {\"limit\": 1, \"per\": \"PT61M\"}",
        "rateLimit.per",
        "must be from PT1S to PT1H");
    assertCreationRefused(
        "\"rateLimit\": {\"limit\": 1, \"burst\": 0}",
        "rateLimit.burst",
        "must be a whole number from 1 to 100000");
    assertCreationRefused(
        "\"rateLimit\": {\"limit\": 1, \"rate\": 2}", "rateLimit.rate", "is not a known field");
    assertCreationRefused("\"endpoint\": {}", "endpoint", "is set by the service");
  }

  /** Case H8. */
  @Test
  void headerThatBreaksTheRequestOrPretendsToBeOursIsRefused() {
    for (String name :
        List.of(
            "Host",
            "content-length",
            "Content-Type",
            "TRANSFER-ENCODING",
            "Connection",
            "Keep-Alive",
            "TE",
            "Trailer",
            "Upgrade",
            "Proxy-Authorization",
            "Expect",
            "webhook-id",
            "Webhook-Signature",
            "webhook-anything",
            "Seriatim-Key",
            "seriatim-x",
            "traceparent")) {
      assertCreationRefused(
          "\"headers\": {\"%s\": \"x\"}".formatted(name), "headers." + name, "cannot be set");
    }
    assertCreationRefused(
        "\"headers\": {\"X-A\": \"1\", \"x-a\": \"2\"}",
        "headers.x-a",
        "is the same header as X-A");
    for (String value : List.of("a\\r\\nX-Evil: 1", "a\\nb", "\\u0000", "ü", "\\t", " a", "a ")) {
      assertCreationRefused(
          "\"headers\": {\"X-A\": \"%s\"}".formatted(value),
          "headers.X-A",
          "must have visible ASCII");
    }
    for (String name : List.of("", "X A", "X:A", "X\\r\\nHost", "ü", "a".repeat(129))) {
      assertCreationRefused(
          "\"headers\": {\"%s\": \"x\"}".formatted(name), "headers", "must have names of");
    }
    assertCreationRefused("\"headers\": {\"X-A\": null}", "headers.X-A", "must be a string");
    assertCreationRefused("\"headers\": {\"X-A\": 1}", "headers.X-A", "must be a string");
    assertCreationRefused(
        "\"headers\": {\"X-A\": \"" + "a".repeat(1025) + "\"}",
        "headers.X-A",
        "must have at most 1024");
    assertCreationRefused("\"headers\": []", "headers", "must be a JSON object");
    String tooMany =
        String.join(",", IntStream.range(0, 21).mapToObj(i -> "\"X-" + i + "\": \"x\"").toList());
    assertCreationRefused(
        "\"headers\": {" + tooMany + "}", "headers", "must have at most 20 entries, it has 21");
  }

  @Test
  void listIsPagedInOrderOfIdsAndFilteredByTenant() {
    for (String id : List.of("p-c", "p-a", "p-e", "p-b", "p-d")) {
      assertThat(service.post(PATH, body(id, "paged", "https://a.example")).status())
          .isEqualTo(201);
    }
    assertThat(service.post(PATH, body("p-bb", "other", "https://a.example")).status())
        .isEqualTo(201);

    Answer first = service.get(PATH + "?tenant=paged&limit=2");
    Answer second = service.get(PATH + "?tenant=paged&limit=2&cursor=" + first.text("/nextCursor"));
    Answer third = service.get(PATH + "?tenant=paged&limit=2&cursor=" + second.text("/nextCursor"));

    assertThat(ids(first)).containsExactly("p-a", "p-b");
    assertThat(ids(second)).containsExactly("p-c", "p-d");
    assertThat(ids(third)).containsExactly("p-e");
    assertThat(third.json().has("nextCursor")).isFalse();
    assertThat(ids(service.get(PATH + "?limit=500"))).contains("p-a", "p-bb").isSorted();
    assertThat(service.get(PATH + "?tenant=nobody").body()).isEqualTo("{\"items\":[]}");
    assertThat(service.get(PATH + "?tenant=").text("/field")).isEqualTo("tenant");
    assertThat(service.get(PATH + "?tenant=a%00").text("/field")).isEqualTo("tenant");
    assertThat(service.get(PATH + "?tenat=a").text("/field")).isEqualTo("tenat");
    assertThat(service.get(PATH + "?cursor=x!").text("/field")).isEqualTo("cursor");
  }

  @Test
  void unknownSubscriptionIsAProblem() {
    Answer answer = service.get(PATH + "/no%2Fsuch");

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.text("/detail")).isEqualTo("There is no subscription no/such");
    assertThat(answer.text("/instance")).isEqualTo(PATH + "/no%2Fsuch");
  }

  @Test
  void openApiNamesThePaths() {
    Answer answer = service.get("/v3/api-docs");

    assertThat(answer.status()).isEqualTo(200);
    JsonNode api = answer.json();
    assertThat(api.at("/info/title").asString()).isEqualTo("Seriatim");
    assertThat(api.at("/info/description").asString()).isNotBlank();
    assertThat(api.at("/components/securitySchemes/token/scheme").asString()).isEqualTo("bearer");
    assertThat(api.at("/paths").propertyNames())
        .contains(PATH, PATH + "/{id}", PATH + "/{id}/enable", PATH + "/{id}/disable")
        .doesNotContain("/error", "/problems/{slug}");
    JsonNode create = api.at("/paths").path(PATH).path("post");
    assertThat(create.at("/requestBody/content/application~1json/schema/$ref").asString())
        .isEqualTo("#/components/schemas/SubscriptionRequest");
    assertThat(create.path("responses").propertyNames()).containsExactly("201");
    assertThat(api.at("/components/schemas/Subscription/properties/timeout/type").asString())
        .isEqualTo("string");
    assertThat(api.at("/components/schemas/RetryPolicy/properties/schedule").toString())
        .contains("\"type\":\"array\"", "\"type\":\"string\"", "\"maxItems\":99");
    assertThat(api.at("/components/schemas/RetryPolicy/properties/preset").toString())
        .contains("STANDARD_WEBHOOKS", "\"writeOnly\":true");
    assertThat(api.at("/paths").path("/v1/dead-letters").at("/get/parameters").toString())
        .contains("ATTEMPTS_EXHAUSTED", "TOO_OLD");
    assertThat(api.at("/components/schemas/SubscriptionRequest/required").toString())
        .isEqualTo("[\"tenant\",\"url\"]");
  }

  private static void create(String id, String retry) {
    String request = body(id).replace("{\"maxAttempts\": 5}", retry);
    Answer created = service.post(PATH, request);
    assertThat(created.status()).as(created.body()).isEqualTo(201);
    assertThat(created.json().at("/retry")).isEqualTo(retry(id));
  }

  private static JsonNode retry(String id) {
    return service.get(PATH + "/" + id).json().at("/retry");
  }

  private static String patchRetry(String id, String retry) {
    Answer answer = service.send("PATCH", PATH + "/" + id, "{\"retry\": " + retry + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.json().at("/retry")).isEqualTo(retry(id));
    return answer.json().at("/retry").toString();
  }

  private static Answer create(String id) {
    Answer created = service.post(PATH, body(id));
    assertThat(created.status()).as(created.body()).isEqualTo(201);
    return created;
  }

  private static String body(String id) {
    return """
    {"id": "%s", "tenant": "acme", "url": "https://hooks.example/", "eventTypes": ["order.*"],
     "retry": {"maxAttempts": 5}, "headers": {"X-Env": "prod"}}
    """
        .formatted(id);
  }

  private static String body(String id, String tenant, String url) {
    return "{\"id\": \"%s\", \"tenant\": \"%s\", \"url\": \"%s\"}".formatted(id, tenant, url);
  }

  /** One member put over an otherwise good request. */
  private static void assertCreationRefused(String member, String field, String detail) {
    String name = member.substring(0, member.indexOf(':'));
    String tenant = name.equals("\"tenant\"") ? "" : "\"tenant\": \"acme\", ";
    String url = name.equals("\"url\"") ? "" : "\"url\": \"https://hooks.example\", ";
    assertRefused("POST", "", "{" + tenant + url + member + "}", field, detail);
  }

  private static void assertRefused(
      String method, String path, String json, String field, String detail) {
    Answer answer = service.send(method, PATH + path, json);
    assertThat(answer.status()).as(json + " → " + answer.body()).isEqualTo(400);
    assertThat(answer.text("/field")).as(json + " → " + answer.body()).isEqualTo(field);
    assertThat(answer.text("/detail")).as(json).startsWith(field + " " + detail);
    assertThat(answer.body()).doesNotContain("hunter2");
  }

  private static JsonNode without(Answer answer, String... members) {
    return ((ObjectNode) answer.json()).remove(List.of(members));
  }

  private static List<String> ids(Answer page) {
    return page.json().at("/items").valueStream().map(item -> item.path("id").asString()).toList();
  }

  private static Subscription load(String id) {
    return service.bean(SubscriptionDirectory.class).load(List.of(pk(id))).getFirst();
  }

  private static long pk(String id) {
    return service
        .bean(JdbcClient.class)
        .sql("select pk from subscription where id = :id and state <> 'DELETED'")
        .param("id", id)
        .query(Long.class)
        .single();
  }

  private static long count() {
    return service
        .bean(JdbcClient.class)
        .sql("select count(*) from subscription")
        .query(Long.class)
        .single();
  }
}
