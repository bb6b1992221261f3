package dev.seriatim.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.seriatim.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The rules and the dashboard that are shipped, against what a running service says. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AlertsIntegrationTests {

  private static final Path FILES = Path.of("helm/seriatim/files");
  private static final Pattern METRIC = Pattern.compile("\\b(?:seriatim|hikaricp)_[a-z0-9_]+");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestService service =
      TestService.start(
          "seriatim.partitions.count=4",
          "seriatim.metrics.sample-every=100ms",
          "seriatim.lease.sweep-every=100ms",
          "seriatim.targets.allow=127.0.0.0/8");

  /** One that is shipped. */
  record Rule(String alert, String expr, String runbook, String summary) {}

  @AfterAll
  void stop() {
    service.close();
  }

  @Test
  void everyMetricThatIsNamedExists() throws IOException {
    Set<String> named = new TreeSet<>();
    rules().forEach(rule -> named.addAll(metrics(rule.expr())));
    JsonNode dashboard =
        JsonMapper.shared().readTree(Files.readString(FILES.resolve("dashboard.json")));
    for (JsonNode panel : dashboard.path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        assertThat(metrics(target.path("expr").asString()))
            .as(panel.path("title").asString())
            .isNotEmpty();
        named.addAll(metrics(target.path("expr").asString()));
      }
    }
    for (String query : List.of("backlog.promql", "oldest-age.promql")) {
      named.addAll(metrics(Files.readString(FILES.resolve(query))));
    }
    assertThat(named).hasSizeGreaterThan(30);

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Set<String> scraped =
                  scrape()
                      .lines()
                      .filter(line -> !line.startsWith("#"))
                      .map(line -> line.split("[{ ]", 2)[0])
                      .collect(Collectors.toSet());
              assertThat(scraped).containsAll(named);
            });
  }

  @Test
  void everyAlertHasARunbookThatExists() throws IOException {
    assertThat(rules()).hasSizeGreaterThan(10).extracting(Rule::alert).doesNotHaveDuplicates();
    for (Rule rule : rules()) {
      assertThat(Path.of(rule.runbook())).as(rule.alert()).exists();
      assertThat(rule.summary()).isNotEmpty();
    }
    try (var pages = Files.list(Path.of("src/docs/runbooks"))) {
      assertThat(pages.map(page -> page.toString().replace('\\', '/')))
          .as("pages that nothing leads to")
          .isSubsetOf(rules().stream().map(Rule::runbook).toList());
    }
  }

  @Test
  void tagsAreBounded() {
    service.post(
        "/v1/subscriptions",
        "{\"id\": \"sub-marked\", \"tenant\": \"tenant-marked\", \"url\": \"http://127.0.0.1:9/path-marked\", \"eventTypes\": [\"marked\"]}");
    service.post(
        "/v1/events",
        "{\"id\": \"id-marked\", \"tenant\": \"tenant-marked\", \"type\": \"marked\", \"resource\": \"key-marked\", \"payload\": 1}");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                scrape().contains("seriatim_attempts_seconds_count{verdict=\"connect_refused\"} "));

    assertThat(scrape()).doesNotContain("marked");
  }

  private String scrape() {
    TestService.Answer answer = service.get("/actuator/prometheus");
    assertThat(answer.status()).isEqualTo(200);
    return answer.body();
  }

  private static Set<String> metrics(String expression) {
    return METRIC
        .matcher(expression)
        .results()
        .map(found -> found.group())
        .collect(Collectors.toSet());
  }

  @SuppressWarnings("unchecked")
  static List<Rule> rules() throws IOException {
    Map<String, Object> file = new Yaml().load(Files.readString(FILES.resolve("alerts.yaml")));
    return ((List<Map<String, Object>>) file.get("groups"))
        .stream()
            .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
            .map(
                rule -> {
                  Map<String, String> annotations = (Map<String, String>) rule.get("annotations");
                  return new Rule(
                      (String) rule.get("alert"),
                      (String) rule.get("expr"),
                      annotations.get("runbook"),
                      annotations.get("summary"));
                })
            .toList();
  }
}
