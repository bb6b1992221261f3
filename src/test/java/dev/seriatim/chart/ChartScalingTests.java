package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.ExternalMetricSource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBehavior;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One autoscaler or none, and the number of pods is its alone. */
class ChartScalingTests {

  @Test
  void withoutAutoscalingTheNumberOfPodsIsThatOfTheValues() {
    Manifests manifests = Chart.with("default");

    assertThat(manifests.only(Deployment.class).getSpec().getReplicas()).isEqualTo(3);
    assertThat(manifests.all(HorizontalPodAutoscaler.class)).isEmpty();
    assertThat(manifests.scaledObjects()).isEmpty();
  }

  @Test
  void hpaScalesByBacklogAndAge() {
    Manifests manifests = Chart.with("hpa");
    HorizontalPodAutoscaler scaler = manifests.only(HorizontalPodAutoscaler.class);
    Deployment deployment = manifests.only(Deployment.class);

    assertThat(manifests.scaledObjects()).isEmpty();
    assertThat(deployment.getSpec().getReplicas()).isNull();
    assertThat(scaler.getSpec().getScaleTargetRef().getName())
        .isEqualTo(deployment.getMetadata().getName());
    assertThat(scaler.getSpec().getScaleTargetRef().getKind()).isEqualTo(deployment.getKind());
    assertThat(scaler.getSpec().getMinReplicas()).isEqualTo(2);
    assertThat(scaler.getSpec().getMaxReplicas()).isEqualTo(16);
    List<ExternalMetricSource> metrics =
        scaler.getSpec().getMetrics().stream().map(MetricSpec::getExternal).toList();
    assertThat(metrics)
        .extracting(it -> it.getMetric().getName() + " " + it.getTarget().getType())
        .containsExactly("seriatim_backlog AverageValue", "seriatim_oldest_age_seconds Value");
    goesSlowly(scaler.getSpec().getBehavior());
  }

  @Test
  void kedaAsksPrometheusForTheSame() {
    Manifests manifests = Chart.with("keda");
    ScaledObject scaler = manifests.scaledObjects().getFirst();
    Deployment deployment = manifests.only(Deployment.class);

    assertThat(manifests.all(HorizontalPodAutoscaler.class)).isEmpty();
    assertThat(deployment.getSpec().getReplicas()).isNull();
    assertThat(scaler.apiVersion()).isEqualTo("keda.sh/v1alpha1");
    assertThat(scaler.spec().scaleTargetRef())
        .isEqualTo(
            new ScaledObject.Target("apps/v1", "Deployment", deployment.getMetadata().getName()));
    assertThat(scaler.spec().minReplicaCount()).isPositive();
    assertThat(scaler.spec().maxReplicaCount()).isEqualTo(8);
    assertThat(scaler.spec().triggers())
        .extracting(trigger -> trigger.name() + " " + trigger.metricType())
        .containsExactly("backlog AverageValue", "oldest-age Value");
    assertThat(scaler.spec().triggers())
        .allSatisfy(
            trigger -> {
              assertThat(trigger.type()).isEqualTo("prometheus");
              assertThat(trigger.authentication().name()).isEqualTo("prometheus");
              assertThat(trigger.metadata()).containsEntry("authModes", "bearer");
              ChartMonitoringTests.isOfThisReleaseAlone(trigger.metadata().get("query"));
            });
    goesSlowly(scaler.spec().advanced().horizontalPodAutoscalerConfig().behavior());
  }

  /** Each pod that goes hands its partitions over. */
  private static void goesSlowly(HorizontalPodAutoscalerBehavior behavior) {
    assertThat(behavior.getScaleDown().getStabilizationWindowSeconds()).isEqualTo(600);
    assertThat(behavior.getScaleDown().getPolicies())
        .singleElement()
        .satisfies(policy -> assertThat(policy.getValue()).isEqualTo(1));
  }

  @Test
  void asManyPodsAsPartitionsAreAllowed() {
    assertThat(
            Chart.with("hpa", "autoscaling: {maxReplicas: 64}")
                .only(HorizontalPodAutoscaler.class)
                .getSpec()
                .getMaxReplicas())
        .isEqualTo(64);
  }
}
