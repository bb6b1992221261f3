package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.openshift.api.model.monitoring.v1.Endpoint;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.Rule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What Prometheus and Grafana get. */
class ChartMonitoringTests {

  private static final Pattern METER = Pattern.compile("\\bseriatim_[a-z0-9_]+");
  private static final Pattern METER_OF_POD = Pattern.compile("\\b(seriatim|hikaricp)_[a-z0-9_]+");
  private static final String SELECTOR = "{namespace=\"hooks\",service=\"seriatim-management\"";

  /** What the operators of this project asked to be told of. */
  private static final List<String> DEMANDED =
      List.of(
          "SeriatimOldestDelivery",
          "SeriatimPartitionUnowned",
          "SeriatimLeaseChurn",
          "SeriatimFencedWrites",
          "SeriatimDeadLetters",
          "SeriatimLanesHeld",
          "SeriatimPartitionPaused");

  @Test
  void prometheusReadsTheManagementPortOfEachPodWithAToken() {
    Manifests manifests = Chart.with("monitoring");
    ServiceMonitor monitor = manifests.only(ServiceMonitor.class);
    Map<String, String> selector = monitor.getSpec().getSelector().getMatchLabels();
    List<Service> found =
        manifests.all(Service.class).stream()
            .filter(it -> it.getMetadata().getLabels().entrySet().containsAll(selector.entrySet()))
            .toList();

    assertThat(found)
        .extracting(service -> service.getMetadata().getName())
        .containsExactly("seriatim-management");
    assertThat(monitor.getSpec().getEndpoints()).hasSize(1);
    Endpoint endpoint = monitor.getSpec().getEndpoints().getFirst();
    assertThat(endpoint.getPort())
        .isEqualTo(found.getFirst().getSpec().getPorts().getFirst().getName());
    assertThat(endpoint.getPath()).isEqualTo("/actuator/prometheus");
    assertThat(endpoint.getAuthorization().getType()).isEqualTo("Bearer");
    assertThat(endpoint.getAuthorization().getCredentials().getName()).isEqualTo("seriatim-api");
    assertThat(endpoint.getAuthorization().getCredentials().getKey()).isEqualTo("token");
    assertThat(monitor.getMetadata().getLabels()).containsEntry("release", "prometheus");
  }

  @Test
  void prometheusMayHaveATokenOfItsOwn() {
    Endpoint endpoint =
        Chart.with("operators").only(ServiceMonitor.class).getSpec().getEndpoints().getFirst();

    assertThat(endpoint.getAuthorization().getCredentials().getName()).isEqualTo("operators");
    assertThat(endpoint.getAuthorization().getCredentials().getKey()).isEqualTo("prometheus");
  }

  @Test
  void everyAlertIsInstalledWithTheAddressOfItsRunbook() {
    List<Rule> rules = rules(Chart.with("monitoring"));

    assertThat(rules).extracting(Rule::getAlert).containsAll(DEMANDED);
    assertThat(rules).hasSize(alertsOfTheFile());
    for (Rule rule : rules) {
      String url = rule.getAnnotations().get("runbook_url");
      assertThat(url).startsWith("https://runbooks.example.com/seriatim/");
      assertThat(Path.of("src/docs/runbooks", url.substring(url.lastIndexOf('/') + 1))).exists();
      assertThat(rule.getAnnotations()).containsOnlyKeys("summary", "runbook_url");
      assertThat(rule.getLabels()).containsKey("severity");
    }
  }

  /** Otherwise the same alert of two releases is one, and nobody knows whose. */
  @Test
  void alertsSayOfWhichReleaseTheyAre() {
    assertThat(rules(Chart.with("monitoring")))
        .allSatisfy(
            rule ->
                assertThat(rule.getLabels())
                    .containsEntry("namespace", "hooks")
                    .containsEntry("service", "seriatim-management"));
  }

  @Test
  void alertsAndScalingAreOfThisReleaseAlone() {
    rules(Chart.with("monitoring"))
        .forEach(rule -> isOfThisReleaseAlone(rule.getExpr().getStrVal()));
  }

  @Test
  void whatTellsReleasesApartCanBeSaid() {
    assertThat(rules(Chart.with("monitoring", "metrics: {selector: 'job=\"hooks\"'}")))
        .extracting(rule -> rule.getExpr().getStrVal())
        .contains("max by (state) (seriatim_lanes{job=\"hooks\",state=\"held\"}) > 0");
  }

  static void isOfThisReleaseAlone(String query) {
    assertThat(METER.matcher(query).results())
        .isNotEmpty()
        .allSatisfy(meter -> assertThat(query.substring(meter.end())).startsWith(SELECTOR));
  }

  @Test
  void dashboardIsTheFile() throws IOException {
    ConfigMap dashboard = Chart.with("monitoring").named(ConfigMap.class, "seriatim-dashboard");

    assertThat(dashboard.getData().get("seriatim.json").strip())
        .isEqualTo(Files.readString(Chart.FOLDER.resolve("files/dashboard.json")).strip());
    assertThat(dashboard.getMetadata().getLabels()).containsEntry("grafana_dashboard", "1");
    assertThat(dashboard.getMetadata().getAnnotations())
        .containsEntry("grafana_folder", "Webhooks");
  }

  /** It is one for all releases of a cluster, and must not mix them. */
  @Test
  void dashboardAsksForTheReleaseThatIsChosen() throws IOException {
    String chosen = "{namespace=~\\\"$namespace\\\",service=~\\\"$service\\\"";
    List<String> queries =
        Files.readString(Chart.FOLDER.resolve("files/dashboard.json"))
            .lines()
            .filter(line -> line.strip().startsWith("\"expr\""))
            .toList();

    assertThat(queries).hasSizeGreaterThan(30);
    for (String query : queries) {
      assertThat(METER_OF_POD.matcher(query).results())
          .as(query)
          .isNotEmpty()
          .allSatisfy(meter -> assertThat(query.substring(meter.end())).startsWith(chosen));
    }
  }

  private static List<Rule> rules(Manifests manifests) {
    return manifests.only(PrometheusRule.class).getSpec().getGroups().stream()
        .flatMap(group -> group.getRules().stream())
        .toList();
  }

  @SuppressWarnings("unchecked")
  private static int alertsOfTheFile() {
    var groups =
        (List<Map<String, Object>>)
            Chart.load(Chart.FOLDER.resolve("files/alerts.yaml")).get("groups");
    return groups.stream().mapToInt(group -> ((List<?>) group.get("rules")).size()).sum();
  }
}
