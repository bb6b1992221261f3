package dev.seriatim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.TestService;
import dev.seriatim.TestService.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What operators do with subscriptions is in the audit, like everything else that they do. */
@ExtendWith(Pod.class)
class SubscriptionAuditIntegrationTests {

  private static final String PATH = "/v1/subscriptions";
  private static final String SUBSCRIPTION =
      """
      {"id": "%s", "tenant": "audit-tenant", "url": "https://hooks.example/secret-path?token=secret-token",
       "eventTypes": ["nothing"], "headers": {"X-Kept": "secret-header"}, "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}""";

  @Test
  void everyChangeIsWrittenDownOnceAndNothingSecretWithIt(TestService pod) {
    String id = "audit-all";
    String one = PATH + "/" + id;
    ok(pod.post(PATH, SUBSCRIPTION.formatted(id)));
    ok(
        pod.send(
            "PATCH",
            one,
            """
            {"url": "https://other.example/secret-path", "timeout": "PT9S", "headers": {"X-Kept": "secret-other"},
             "rateLimit": {"limit": 5}}"""));
    ok(pod.send("PATCH", one, "{\"timeout\": \"PT9S\"}"));
    ok(pod.post(one + "/disable", "{\"reason\": \"moves house\"}"));
    ok(pod.post(one + "/disable", "{\"reason\": \"again\"}"));
    ok(pod.post(one + "/enable", null));
    ok(pod.post(one + "/enable", null));
    ok(pod.send("DELETE", one, null));
    assertThat(pod.send("DELETE", one, null).status()).isEqualTo(404);

    JsonNode entries = audit(pod, id);

    assertThat(entries.findValuesAsString("action"))
        .containsExactly(
            "DELETE_SUBSCRIPTION",
            "ENABLE_SUBSCRIPTION",
            "DISABLE_SUBSCRIPTION",
            "CHANGE_SUBSCRIPTION",
            "CREATE_SUBSCRIPTION");
    assertThat(entries.findValuesAsString("operator")).containsOnly("loopback");
    assertThat(entries.get(4).path("detail"))
        .isEqualTo(json("{\"tenant\": \"audit-tenant\", \"url\": \"https://hooks.example\"}"));
    assertThat(entries.get(3).path("detail"))
        .isEqualTo(
            json(
                """
                {"url": {"from": "https://hooks.example", "to": "https://other.example"}, "timeout": {"from": "PT15S", "to": "PT9S"},
                 "headers": {"from": ["X-Kept"], "to": ["X-Kept"]},
                 "rateLimit": {"to": {"limit": 5, "per": "PT1S", "burst": 5}}}"""));
    assertThat(entries.get(2).path("detail")).isEqualTo(json("{\"reason\": \"moves house\"}"));
    assertThat(entries.get(1).path("detail"))
        .isEqualTo(json("{\"disabledReason\": \"moves house\"}"));
    assertThat(entries.get(0).path("detail")).isEqualTo(json("{\"tenant\": \"audit-tenant\"}"));
    assertThat(entries.toString()).doesNotContain("secret", "whsec");
  }

  @Test
  void changeThatCannotBeWrittenDownIsNotMade(TestService pod) {
    JdbcClient jdbc = JdbcClient.create(pod.database().dataSource(1));
    for (String id : List.of("audit-on", "audit-off")) {
      ok(pod.post(PATH, SUBSCRIPTION.formatted(id)));
    }
    ok(pod.post(PATH + "/audit-off/disable", null));
    String before = pod.get(PATH + "?tenant=audit-tenant").body();
    jdbc.sql(
            """
            create function refuse_audit() returns trigger language plpgsql as $$ begin raise 'the pen is dry'; end $$;
            create trigger refuse before insert on audit for each row when (new.target like 'subscription/audit-%')
              execute function refuse_audit()
            """)
        .update();
    try {
      assertThat(
              List.of(
                  pod.post(PATH, SUBSCRIPTION.formatted("audit-new")).status(),
                  pod.send("PATCH", PATH + "/audit-on", "{\"timeout\": \"PT9S\"}").status(),
                  pod.post(PATH + "/audit-on/disable", null).status(),
                  pod.post(PATH + "/audit-off/enable", null).status(),
                  pod.send("DELETE", PATH + "/audit-on", null).status()))
          .containsOnly(500);
      assertThat(pod.get(PATH + "?tenant=audit-tenant").body()).isEqualTo(before);
    } finally {
      jdbc.sql("drop function refuse_audit cascade").update();
    }
    ok(pod.send("DELETE", PATH + "/audit-on", null));
    ok(pod.send("DELETE", PATH + "/audit-off", null));
  }

  private static JsonNode audit(TestService pod, String id) {
    return pod.get("/v1/audit?target=subscription/" + id).json().path("items");
  }

  private static void ok(Answer answer) {
    assertThat(answer.status() / 100).as(answer.body()).isEqualTo(2);
  }

  private static JsonNode json(String text) {
    return JsonMapper.shared().readTree(text);
  }
}
