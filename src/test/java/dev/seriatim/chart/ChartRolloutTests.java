package dev.seriatim.chart;

import static dev.seriatim.chart.Containers.container;
import static dev.seriatim.chart.Containers.secret;
import static dev.seriatim.chart.Containers.variable;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStrategy;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How pods come and go, and what they start. */
class ChartRolloutTests {

  private static final Pattern ARGUMENT = Pattern.compile("<argument>(.+?)</argument>");

  static List<Path> features() {
    return Chart.values();
  }

  @Test
  void newPodsAreReadyBeforeOldOnesGo() {
    DeploymentStrategy strategy =
        Chart.with("default").only(Deployment.class).getSpec().getStrategy();

    assertThat(strategy.getType()).isEqualTo("RollingUpdate");
    assertThat(strategy.getRollingUpdate().getMaxUnavailable()).isEqualTo(new IntOrString(0));
    assertThat(strategy.getRollingUpdate().getMaxSurge()).isEqualTo(new IntOrString(1));
  }

  @Test
  void rollIsNotReportedAsFailedWhileAStartMayTakeItsTime() {
    Deployment deployment = Chart.with("default").only(Deployment.class);
    Probe startup = container(deployment.getSpec().getTemplate()).getStartupProbe();

    assertThat(deployment.getSpec().getProgressDeadlineSeconds())
        .isGreaterThan(startup.getPeriodSeconds() * startup.getFailureThreshold());
  }

  @Test
  void probesLookAtTheManagementPort() {
    Container container = container(Chart.with("default").pod());

    assertThat(container.getPorts())
        .extracting(port -> port.getName() + " " + port.getContainerPort())
        .containsExactly("http 8080", "management 9090");
    assertThat(
            Stream.of(
                    container.getStartupProbe(),
                    container.getReadinessProbe(),
                    container.getLivenessProbe())
                .map(Probe::getHttpGet))
        .extracting(HTTPGetAction::getPort)
        .containsOnly(new IntOrString("management"));
    assertThat(container.getStartupProbe().getHttpGet().getPath())
        .isEqualTo("/actuator/health/readiness");
    assertThat(container.getReadinessProbe().getHttpGet().getPath())
        .isEqualTo("/actuator/health/readiness");
    assertThat(container.getLivenessProbe().getHttpGet().getPath())
        .isEqualTo("/actuator/health/liveness");
    // Waiting for the migrations of another pod: spring.flyway.lock-retry-count, once a second.
    Probe startup = container.getStartupProbe();
    assertThat(startup.getPeriodSeconds() * startup.getFailureThreshold()).isGreaterThan(600);
  }

  @ParameterizedTest
  @MethodSource("features")
  void stopFitsIntoTheGrace(Path values) {
    Manifests manifests = Chart.with(values);
    PodSpec pod = manifests.pod().getSpec();
    var lifecycle = pod.getContainers().getFirst().getLifecycle();
    long preStop = lifecycle == null ? 0 : lifecycle.getPreStop().getSleep().getSeconds();

    var settings = Settings.of(manifests);
    assertThat(settings)
        .containsEntry(
            "seriatim.shutdown.grace-period", pod.getTerminationGracePeriodSeconds() + "s")
        .containsEntry("seriatim.shutdown.pre-stop", preStop + "s");
    String drain = (String) settings.get("seriatim.shutdown.drain");
    assertThat(pod.getTerminationGracePeriodSeconds())
        .isGreaterThanOrEqualTo(preStop + Long.parseLong(drain.replace("s", "")) + 10);
  }

  @Test
  void anotherConfigurationRollsThePods() {
    String same = checksum(Chart.with("default", "replicaCount: 5"));
    String other = checksum(Chart.with("default", "config: {seriatim: {retention: {events: 8d}}}"));

    assertThat(same).isEqualTo(checksum(Chart.with("default"))).isNotEqualTo(other);
  }

  private static String checksum(Manifests manifests) {
    return manifests.pod().getMetadata().getAnnotations().get("checksum/config");
  }

  @Test
  void migrationRunsBeforeThePodsAsTheOwnerOfTheTables() {
    Manifests manifests = Chart.with("migration-job");
    Job job = manifests.only(Job.class);
    Container migration = container(job.getSpec().getTemplate());
    Container pod = container(manifests.pod());

    assertThat(job.getMetadata().getAnnotations())
        .containsEntry(Chart.HOOK, "pre-install,pre-upgrade");
    assertThat(job.getSpec().getTemplate().getSpec().getRestartPolicy()).isEqualTo("Never");
    assertThat(variable(migration, "SERIATIM_MIGRATIONS_RUN").getValue()).isEqualTo("only");
    assertThat(secret(migration, "SPRING_DATASOURCE_USERNAME"))
        .isEqualTo("seriatim-owner/username");
    assertThat(secret(pod, "SPRING_DATASOURCE_USERNAME")).isEqualTo("seriatim-database/username");
    assertThat(migration.getImage()).isEqualTo(pod.getImage());
    assertThat(migration.getCommand()).isEqualTo(pod.getCommand());
    assertThat(Settings.of(manifests)).containsEntry("seriatim.migrations.run", "never");
    assertThat(Settings.of(Chart.with("default")))
        .containsEntry("seriatim.migrations.run", "at-start");
  }

  @Test
  void migrationThatWentWellLeavesNothingBehind() {
    // What belongs to hooks is not deleted with the release.
    Manifests manifests = Chart.with("migration-job");
    List<HasMetadata> ofMigration =
        manifests.objects().stream()
            .filter(object -> object.getMetadata().getName().endsWith("-migration"))
            .toList();

    assertThat(ofMigration)
        .hasSize(2)
        .allSatisfy(
            object ->
                assertThat(object.getMetadata().getAnnotations())
                    .containsEntry(
                        Chart.HOOK + "-delete-policy", "before-hook-creation,hook-succeeded"));
  }

  @Test
  void migrationWhoseNodeIsDrainedHasNotFailed() {
    JobSpec job = Chart.with("migration-job").only(Job.class).getSpec();

    assertThat(job.getPodFailurePolicy().getRules())
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.getAction()).isEqualTo("Ignore");
              assertThat(rule.getOnPodConditions())
                  .singleElement()
                  .satisfies(
                      condition -> assertThat(condition.getType()).isEqualTo("DisruptionTarget"));
            });
  }

  @Test
  void migrationNeedsNothingThatItsReleaseHasYetToMake() {
    Job job = Chart.with("migration-job").only(Job.class);
    PodSpec spec = job.getSpec().getTemplate().getSpec();

    assertThat(spec.getServiceAccountName()).isNull();
    assertThat(spec.getVolumes()).extracting(Volume::getConfigMap).containsOnlyNulls();
  }

  @Test
  void containersStartWhatTheImageIsBuiltToStart() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    List<String> entrypoint =
        ARGUMENT
            .matcher(between(pom, "<entrypoint>", "</entrypoint>"))
            .results()
            .map(argument -> argument.group(1))
            .toList();

    for (PodTemplateSpec pod :
        List.of(
            Chart.with("default").pod(),
            Chart.with("migration-job").only(Job.class).getSpec().getTemplate())) {
      Container container = container(pod);
      assertThat(Stream.of(container.getCommand(), container.getArgs()).flatMap(List::stream))
          .containsExactlyElementsOf(entrypoint);
      assertThat(container.getWorkingDir())
          .isEqualTo(between(pom, "<workingDirectory>", "</workingDirectory>"));
      long user = pod.getSpec().getSecurityContext().getRunAsUser();
      assertThat(between(pom, "<user>", "</user>")).isEqualTo(user + ":" + user);
    }
    assertThat(container(Chart.with("placement").pod()).getArgs())
        .containsExactly(
            "@java.options", "-XX:NativeMemoryTracking=summary", "-jar", "seriatim.jar");
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }

  @Test
  void imageIsByDigestWhereThereIsOne() {
    assertThat(container(Chart.with("placement").pod()).getImage())
        .startsWith("registry.example.com/seriatim@sha256:0123456789abcdef");
    assertThat(container(Chart.with("default").pod()).getImage())
        .isEqualTo("seriatim:" + Chart.load(Chart.FOLDER.resolve("Chart.yaml")).get("appVersion"));
  }

  @Test
  void podsAreSpreadOverZonesAndNodes() {
    assertThat(Chart.with("default").pod().getSpec().getTopologySpreadConstraints())
        .hasSize(2)
        .allSatisfy(
            constraint -> {
              assertThat(constraint.getMaxSkew()).isEqualTo(1);
              assertThat(constraint.getMatchLabelKeys()).containsExactly("pod-template-hash");
            });
  }
}
