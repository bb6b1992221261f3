package dev.seriatim.chart;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerBehavior;
import java.util.List;
import java.util.Map;

/**
 * KEDA's ScaledObject as far as the chart uses it, after the reference of keda.sh/v1alpha1: there
 * is no model of it to be had. Other fields are errors.
 */
record ScaledObject(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {

  record Spec(
      Target scaleTargetRef,
      int minReplicaCount,
      int maxReplicaCount,
      Advanced advanced,
      List<Trigger> triggers) {}

  record Target(String apiVersion, String kind, String name) {}

  record Advanced(Autoscaler horizontalPodAutoscalerConfig) {}

  record Autoscaler(HorizontalPodAutoscalerBehavior behavior) {}

  record Trigger(
      String type,
      String name,
      String metricType,
      Map<String, String> metadata,
      @JsonProperty("authenticationRef") Reference authentication) {}

  record Reference(String name) {}
}
