package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.LintResult;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every set of values that is shipped: Helm takes it, and Kubernetes would. */
class ChartTests {

  /** All that can be on at once, but for autoscaling. */
  private static final String[] EVERYTHING = {
    "config",
    "operators",
    "migration-job",
    "monitoring",
    "ingress",
    "httproute",
    "network-policy",
    "placement",
    "shutdown"
  };

  static List<Path> features() {
    return Chart.values();
  }

  @ParameterizedTest
  @MethodSource("features")
  void lintsStrictly(Path values) {
    LintResult result = Chart.lint(values);

    assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("features")
  void rendersWhatKubernetesKnows(Path values) {
    Manifests manifests = Chart.with(values);

    assertThat(manifests.objects()).isNotEmpty();
    assertThat(manifests.objects())
        .extracting(object -> object.getKind() + " " + object.getMetadata().getName())
        .doesNotHaveDuplicates();
  }

  @Test
  void rendersEverythingAtOnce() {
    Manifests byHpa = everythingAnd("hpa");
    Manifests byKeda = everythingAnd("keda");

    assertThat(byHpa.objects()).hasSize(16);
    assertThat(byKeda.objects()).hasSize(15);
    assertThat(byKeda.scaledObjects()).hasSize(1);
  }

  @Test
  void fieldThatKubernetesDoesNotKnowIsFound() {
    String misspelt =
        Chart.with("default").text().replace("enableServiceLinks", "enableServiceLink");

    assertThatThrownBy(() -> Manifests.parse(misspelt))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("enableServiceLink");
  }

  @Test
  void namesFitWhateverTheReleaseIsCalled() {
    Manifests manifests =
        Manifests.parse(Chart.render("r".repeat(53), List.of(Chart.values("migration-job")), ""));

    assertThat(manifests.objects())
        .extracting(object -> object.getMetadata().getName())
        .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(63));
  }

  @Test
  void textThatLooksLikeANumberStaysText() {
    String values =
        """
        fullnameOverride: hooks
        database: {existingSecret: "123", usernameKey: "1", passwordKey: "true"}
        api: {tokenKey: "null", operators: [{name: "1", existingSecret: "1e3", key: "on"}]}
        migrations: {existingSecret: "456"}
        serviceAccount: {name: "789"}
        topologySpread: ["1"]
        priorityClassName: "10"
        image: {pullSecrets: [{name: "11"}]}
        ingress: {className: "12", paths: ["/a #b"]}
        httpRoute: {paths: ["/a #b"]}
        autoscaling: {hpa: {backlogMetric: "13", oldestAgeMetric: "14"}}
        serviceMonitor: {authorization: {existingSecret: "15", key: "16"}}
        """;
    List<Path> files =
        Stream.of("migration-job", "monitoring", "ingress", "httproute", "hpa")
            .map(Chart::values)
            .toList();

    Manifests manifests = Manifests.parse(Chart.render("2026", files, values));

    assertThat(manifests.text()).contains("\"/a #b\"").doesNotContain("/a #b\n");
  }

  @Test
  void everythingIsLabelledAsOfThisRelease() {
    for (HasMetadata object : everythingAnd("hpa").objects()) {
      assertThat(object.getMetadata().getLabels())
          .containsEntry("app.kubernetes.io/instance", Chart.RELEASE)
          .containsEntry("app.kubernetes.io/name", "seriatim")
          .containsKey("app.kubernetes.io/component");
    }
  }

  @Test
  void versionOfTheApplicationIsThatOfTheProject() throws IOException {
    Map<String, Object> chart = Chart.load(Chart.FOLDER.resolve("Chart.yaml"));

    assertThat(Files.readString(Path.of("pom.xml")))
        .contains(
            "<artifactId>seriatim</artifactId>\n  <version>%s</version>"
                .formatted(chart.get("appVersion")));
  }

  /** The chart with all there is, and one of the two autoscalers. */
  static Manifests everythingAnd(String autoscaler) {
    String[] features = Arrays.copyOf(EVERYTHING, EVERYTHING.length + 1);
    features[EVERYTHING.length] = autoscaler;
    return Chart.together(features);
  }
}
