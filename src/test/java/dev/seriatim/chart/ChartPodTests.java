package dev.seriatim.chart;

import static dev.seriatim.chart.Containers.container;
import static dev.seriatim.chart.Containers.secret;
import static dev.seriatim.chart.Containers.variable;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pods: what they may do, and where their secrets are from. */
class ChartPodTests {

  static List<Path> features() {
    return Chart.values();
  }

  /** The restricted profile of Kubernetes' Pod Security Standards, and more. */
  @ParameterizedTest
  @MethodSource("features")
  void podsMayDoNothingThatTheyNeedNot(Path values) {
    Manifests manifests = Chart.with(values);

    for (PodTemplateSpec pod : manifests.pods()) {
      PodSpec spec = pod.getSpec();
      assertThat(spec.getAutomountServiceAccountToken()).isFalse();
      assertThat(spec.getEnableServiceLinks()).isFalse();
      assertThat(spec.getSecurityContext().getRunAsNonRoot()).isTrue();
      assertThat(spec.getSecurityContext().getRunAsUser()).isPositive();
      assertThat(spec.getSecurityContext().getSeccompProfile().getType())
          .isEqualTo("RuntimeDefault");
      assertThat(spec.getHostNetwork()).isNull();
      assertThat(spec.getInitContainers()).isEmpty();
      SecurityContext context = container(pod).getSecurityContext();
      assertThat(context.getAllowPrivilegeEscalation()).isFalse();
      assertThat(context.getReadOnlyRootFilesystem()).isTrue();
      assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
      assertThat(context.getCapabilities().getAdd()).isEmpty();
      assertThat(context.getPrivileged()).isNull();
      assertThat(context.getRunAsUser()).isNull();
    }
    assertThat(manifests.all(ServiceAccount.class))
        .allSatisfy(
            account -> {
              assertThat(account.getAutomountServiceAccountToken()).isFalse();
              assertThat(manifests.pod().getSpec().getServiceAccountName())
                  .isEqualTo(account.getMetadata().getName());
            });
  }

  @ParameterizedTest
  @MethodSource("features")
  void podsMayWriteToATemporaryFolderAlone(Path values) {
    for (PodTemplateSpec pod : Chart.with(values).pods()) {
      for (VolumeMount mount : container(pod).getVolumeMounts()) {
        Volume volume =
            pod.getSpec().getVolumes().stream()
                .filter(candidate -> candidate.getName().equals(mount.getName()))
                .findFirst()
                .orElseThrow();
        if (mount.getMountPath().equals("/tmp")) {
          assertThat(volume.getEmptyDir()).isNotNull();
        } else {
          assertThat(mount.getReadOnly()).isTrue();
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("features")
  void memoryIsPromisedInFullAndCpuNotLimited(Path values) {
    for (PodTemplateSpec pod : Chart.with(values).pods()) {
      var resources = container(pod).getResources();
      assertThat(resources.getRequests()).containsOnlyKeys("cpu", "memory");
      assertThat(resources.getLimits()).containsOnlyKeys("memory");
      assertThat(resources.getLimits().get("memory"))
          .isEqualTo(resources.getRequests().get("memory"));
    }
  }

  @ParameterizedTest
  @MethodSource("features")
  void secretsComeFromSecretsThatTheValuesName(Path values) {
    Manifests manifests = Chart.with(values);
    List<String> written = strings(Chart.load(values)).toList();

    for (PodTemplateSpec pod : manifests.pods()) {
      Stream<SecretKeySelector> keys =
          container(pod).getEnv().stream()
              .filter(variable -> variable.getValueFrom() != null)
              .map(variable -> variable.getValueFrom().getSecretKeyRef());
      assertThat(keys).extracting(SecretKeySelector::getName).isSubsetOf(written);
      assertThat(container(pod).getEnv())
          .filteredOn(variable -> variable.getName().matches(".*(PASSWORD|TOKEN|USERNAME).*"))
          .extracting(EnvVar::getValue)
          .allMatch(Objects::isNull);
    }
    assertThat(manifests.text()).doesNotContain("kind: Secret\n");
  }

  @Test
  void podsGetTheUserOfTheDatabaseAndTheToken() {
    Container container = container(Chart.with("database-url-from-secret").pod());

    assertThat(Stream.of("URL", "USERNAME", "PASSWORD"))
        .extracting(name -> secret(container, "SPRING_DATASOURCE_" + name))
        .containsExactly("postgres-app/jdbc-uri", "postgres-app/user", "postgres-app/password");
    assertThat(secret(container, "SERIATIM_SECURITY_TOKEN")).isEqualTo("seriatim-api/token");
    assertThat(variable(container(Chart.with("default").pod()), "SPRING_DATASOURCE_URL").getValue())
        .isEqualTo("jdbc:postgresql://postgres:5432/seriatim");
  }

  @Test
  void operatorsHaveTheirTokensByName() {
    Manifests manifests = Chart.with("operators");

    assertThat(secret(container(manifests.pod()), "OPERATOR_TOKEN_0")).isEqualTo("operators/jane");
    assertThat(Settings.of(manifests))
        .containsEntry("seriatim.security.operators.[jane.doe]", "${OPERATOR_TOKEN_0}")
        .containsEntry("seriatim.security.operators.[prometheus]", "${OPERATOR_TOKEN_1}");
  }

  private static Stream<String> strings(Object value) {
    return switch (value) {
      case String string -> Stream.of(string);
      case Map<?, ?> map -> map.values().stream().flatMap(ChartPodTests::strings);
      case List<?> list -> list.stream().flatMap(ChartPodTests::strings);
      default -> Stream.empty();
    };
  }
}
