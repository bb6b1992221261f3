package dev.seriatim.operations;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.seriatim.TestBrowser;
import dev.seriatim.TestService;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * What an ordered queue hides behind healthy averages, on a running service: one key whose head
 * fails, and another partition with thousands of deliveries that drains.
 */
class StuckHeadIntegrationTests {

  /** Some hundred are delivered in a second: they outlast the test. */
  private static final int BATCHES = 20;

  private static final int BATCH = 1_000;
  private static final Pattern THRESHOLD =
      Pattern.compile("max by \\(partition\\) \\((\\w+)\\) > (\\d+)");

  private final ConsoleStage stage = new ConsoleStage();
  private final TestService service = stage.service();

  @AfterEach
  void stop() {
    stage.close();
  }

  @Test
  void stuckHeadIsRedInAllFourPlacesAndADeepPartitionThatDrainsInNone() throws IOException {
    stage.failing("stuck");
    stage.publish("stuck", "stuck-1", "k");
    int shallow = stage.waiting("stuck", "k").path("partition").asInt();
    stage.slow("deep");
    int deep = queue();
    assertThat(deep).isNotEqualTo(shallow);
    JsonNode before = draining(deep, BATCHES * BATCH);
    assertThat(service.get("/actuator/health/partitions").status()).isEqualTo(200);

    twoMinutesPass();

    await()
        .atMost(ConsoleStage.PATIENCE)
        .until(() -> service.get("/actuator/health/partitions").status() == 503);
    JsonNode health = service.get("/actuator/health/partitions").json();
    assertThat(health.path("status").asString()).isEqualTo("STALLED");
    assertThat(numbers(health.at("/components/queue/details/stalled"))).containsExactly(shallow);
    // Receivers are no pod's fault.
    assertThat(service.get("/actuator/health").text("/status")).isEqualTo("UP");
    assertThat(service.get("/actuator/health/readiness").status()).isEqualTo(200);
    assertThat(service.get("/actuator/health/liveness").status()).isEqualTo(200);

    String scraped = service.get("/actuator/prometheus").body();
    assertThat(value(scraped, "seriatim_partition_head_age_seconds", shallow)).isGreaterThan(120);
    assertThat(value(scraped, "seriatim_partition_head_age_seconds", deep)).isZero();
    assertThat(value(scraped, "seriatim_partition_oldest_age_seconds", deep)).isGreaterThan(120);
    assertThat(value(scraped, "seriatim_partition_depth", shallow)).isOne();
    assertThat(value(scraped, "seriatim_partition_depth", deep)).isGreaterThan(1_000);

    assertThat(alerting(scraped)).containsExactly(shallow);

    JsonNode overview = service.get("/console/api/overview").json();
    assertThat(numbers(overview.path("stuck"))).containsExactly(shallow);
    assertThat(draining(deep, before.path("depth").asInt()).path("depth").asInt())
        .as("all the while it was deep, and drained")
        .isBetween(1_000, before.path("depth").asInt() - 1);
    isRedInTheConsole(shallow, deep);
  }

  /** Last: where no browser is installed this, and nothing else, is left out. */
  private void isRedInTheConsole(int shallow, int deep) {
    try (TestBrowser browser = TestBrowser.start()) {
      PlaywrightAssertions.setDefaultAssertionTimeout(ConsoleStage.PATIENCE.toMillis());
      Page page = browser.page(new NewContextOptions());
      page.navigate(stage.url(""));
      Locator cells = page.locator(".heat a");
      assertThat(cells.nth(shallow)).hasClass(Pattern.compile("stuck"));
      assertThat(cells.nth(deep)).not().hasClass(Pattern.compile("stuck"));
      assertThat(cells.nth(deep)).hasAttribute("aria-label", Pattern.compile("[0-9,]{5} deliver"));
      assertThat(page.locator("#attention tbody tr")).hasCount(1);
      assertThat(page.locator("#attention tbody tr")).containsText("STUCK");
    }
  }

  /**
   * @return the partition that they are in
   */
  private int queue() {
    TestService.Answer answer = null;
    for (int batch = 0; batch < BATCHES; batch++) {
      answer =
          service.post(
              "/v1/events/batch",
              IntStream.range(0, BATCH)
                  .mapToObj(
                      n ->
                          "{\"tenant\": \"acme\", \"type\": \"deep\", \"resource\": \"r%d\", \"payload\": 1}"
                              .formatted(n % 64))
                  .collect(Collectors.joining(",", "[", "]")));
      assertThat(answer.status()).isEqualTo(200);
    }
    return answer.json().at("/results/0/deliveries/0/partition").asInt();
  }

  /** The partition in a sample of fewer than before, none of which fails. */
  private JsonNode draining(int deep, int before) {
    return await()
        .atMost(ConsoleStage.PATIENCE)
        .until(
            () -> service.get("/actuator/partitions/" + deep).json(),
            partition ->
                partition.path("depth").asInt() > 0
                    && partition.path("depth").asInt() < before
                    && partition.path("deliveredPerSecond").asDouble() > 50
                    && !partition.has("headAgeSeconds"));
  }

  /** For all that is queued. What is being settled is passed by: it is gone in a moment. */
  private void twoMinutesPass() {
    stage
        .jdbc()
        .sql(
            """
            update delivery set enqueued_at = enqueued_at - interval '2 minutes',
              first_attempt_at = first_attempt_at - interval '2 minutes'
            where ctid = any (array(select ctid from delivery for update skip locked))
            """)
        .update();
  }

  /** Partitions for which the rule that is shipped is true. */
  private static List<Integer> alerting(String scraped) throws IOException {
    Matcher rule =
        THRESHOLD.matcher(
            AlertsIntegrationTests.rules().stream()
                .filter(one -> one.alert().equals("SeriatimStuckHead"))
                .findFirst()
                .orElseThrow()
                .expr());
    assertThat(rule.matches()).isTrue();
    return IntStream.range(0, 8)
        .filter(n -> value(scraped, rule.group(1), n) > Double.parseDouble(rule.group(2)))
        .boxed()
        .toList();
  }

  private static double value(String scraped, String metric, int partition) {
    String begin = "%s{partition=\"%d\"}".formatted(metric, partition);
    return scraped
        .lines()
        .filter(line -> line.startsWith(begin))
        .mapToDouble(line -> Double.parseDouble(line.substring(begin.length())))
        .findFirst()
        .orElseThrow(() -> new AssertionError(begin + " is not in\n" + scraped));
  }

  private static List<Integer> numbers(JsonNode array) {
    return array.valueStream().map(JsonNode::asInt).toList();
  }
}
