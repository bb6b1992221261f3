package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The application.yml that the chart makes. */
class ChartSettingsTests {

  @Test
  void valuesOfTheChartAndConfigAreOneFile() {
    Map<String, Object> settings = Settings.of(Chart.with("config"));

    assertThat(settings)
        .containsEntry("seriatim.retention.events", "7d")
        .containsEntry("seriatim.partitions.count", 64)
        .containsEntry(
            "management.otlp.metrics.export.headers.Authorization", "${OTLP_AUTHORIZATION}")
        .containsEntry("management.server.port", 9090)
        .containsEntry("server.port", 8080);
    assertThat(Settings.of(Chart.with("network-policy")))
        .containsEntry(
            "seriatim.targets.allow", List.of("10.20.0.0/16", "10.30.0.7", "fd00:20::/64"));
  }

  @Test
  void everySettingIsOneThatTheApplicationHas() throws IOException {
    Set<String> known = known();

    for (String feature : List.of("operators", "config", "network-policy", "shutdown")) {
      assertThat(Settings.of(Chart.with(feature)).keySet())
          .filteredOn(name -> name.startsWith("seriatim."))
          .as(feature)
          .isNotEmpty()
          .allMatch(
              name -> known.contains(name) || name.startsWith("seriatim.security.operators.["));
    }
  }

  private static Set<String> known() throws IOException {
    try (InputStream file =
        ChartSettingsTests.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      return JsonMapper.shared()
          .readTree(file)
          .path("properties")
          .valueStream()
          .map((JsonNode property) -> property.path("name").asString())
          .collect(Collectors.toSet());
    }
  }
}
