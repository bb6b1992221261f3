package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.seriatim.audit.Audit;
import dev.seriatim.audit.AuditAction;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What operators did, as it is written and shown. */
@SpringBootTest(
    classes = OperationsServer.class,
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.datasource.url=none")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AuditIntegrationTests {

  private final HttpClient client = HttpClient.newHttpClient();
  private final JsonMapper mapper = new JsonMapper();
  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Audit audit;

  @LocalServerPort private int port;

  @Autowired
  AuditIntegrationTests(JdbcClient jdbc, TransactionTemplate transaction, Audit audit) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.audit = audit;
  }

  @BeforeEach
  void clear() {
    new Fixture(jdbc).clear();
  }

  @AfterAll
  void close() {
    client.close();
  }

  @Test
  void tellsWhoDidWhatWhen() throws Exception {
    audit.record(AuditAction.PARK_LANE, "lane/17", Map.of("reason", "a \"quoted\"\nreason"));
    audit.record(AuditAction.PAUSE_PARTITION, "partition/3", Map.of());

    JsonNode items = ok("");
    assertThat(items.findValuesAsString("target")).containsExactly("partition/3", "lane/17");
    JsonNode park = items.get(1);
    assertThat(park.propertyNames())
        .containsExactly("id", "at", "operator", "action", "target", "detail");
    assertThat(park.get("operator").asString()).isEqualTo("loopback");
    assertThat(park.get("action").asString()).isEqualTo("PARK_LANE");
    assertThat(park.get("at").asString()).endsWith("Z");
    assertThat(park.at("/detail/reason").asString()).isEqualTo("a \"quoted\"\nreason");
    assertThat(items.get(0).get("detail").isObject()).isTrue();
  }

  @Test
  void whatIsUndoneIsNotWritten() throws Exception {
    transaction.executeWithoutResult(
        status -> {
          audit.record(AuditAction.SKIP_HEAD, "lane/17", Map.of());
          status.setRollbackOnly();
        });

    assertThat(ok("").size()).isZero();
  }

  @Test
  void filtersAndPages() throws Exception {
    entry("2026-01-01T00:00:00Z", "anna", "PARK_LANE", "lane/1");
    entry("2026-01-02T00:00:00Z", "bob", "SKIP_HEAD", "lane/1");
    entry("2026-01-03T00:00:00Z", "anna", "SKIP_HEAD", "lane/2");
    entry("2026-01-04T00:00:00Z", "bob", "PARK_LANE", "event/acme/a b");

    assertThat(days("operator=anna")).containsExactly("03", "01");
    assertThat(days("action=SKIP_HEAD&operator=bob")).containsExactly("02");
    assertThat(days("target=lane/1")).containsExactly("02", "01");
    assertThat(days("target=event/acme/a%20b")).containsExactly("04");
    assertThat(days("from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00Z"))
        .containsExactly("03", "02");
    assertThat(days("limit=3")).containsExactly("04", "03", "02");
    String cursor = mapper.readTree(get("limit=3").body()).get("nextCursor").asString();
    assertThat(days("limit=3&cursor=" + cursor)).containsExactly("01");
  }

  @ParameterizedTest
  @CsvSource({
    "targt=lane/1, targt",
    "target=, target",
    "target=%00, target",
    "operator=, operator",
    "action=park, action",
    "from=yesterday, from",
    "from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z, from",
    "limit=0, limit",
    "cursor=eA, cursor"
  })
  void badQueryParametersAreNamed(String query, String field) throws Exception {
    HttpResponse<String> answer = get(query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(mapper.readTree(answer.body()).path("field").asString()).isEqualTo(field);
  }

  private void entry(String at, String operator, String action, String target) {
    jdbc.sql(
            "insert into audit (at, operator, action, target) values (:at::timestamptz, :operator, :action, :target)")
        .params(Map.of("at", at, "operator", operator, "action", action, "target", target))
        .update();
  }

  private List<String> days(String query) throws Exception {
    return ok(query).findValuesAsString("at").stream().map(at -> at.substring(8, 10)).toList();
  }

  private JsonNode ok(String query) throws Exception {
    HttpResponse<String> answer = get(query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return mapper.readTree(answer.body()).get("items");
  }

  private HttpResponse<String> get(String query) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/v1/audit?" + query))
            .build(),
        BodyHandlers.ofString(StandardCharsets.UTF_8));
  }
}
