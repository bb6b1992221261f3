package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MutableCoercionConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * What Helm rendered, each manifest read as what it says that it is: a field that its kind does not
 * have is an error, a kind that is not expected here is one, and so is a key that comes twice. What
 * the models do not know is which fields a server requires, and which values it allows.
 *
 * @param text as rendered
 * @param objects by the models
 * @param scaledObjects of KEDA, which has no such model
 */
record Manifests(String text, List<HasMetadata> objects, List<ScaledObject> scaledObjects) {

  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Stream.of(
              ConfigMap.class,
              Deployment.class,
              HTTPRoute.class,
              HorizontalPodAutoscaler.class,
              Ingress.class,
              Job.class,
              NetworkPolicy.class,
              Pod.class,
              PodDisruptionBudget.class,
              PrometheusRule.class,
              Service.class,
              ServiceAccount.class,
              ServiceMonitor.class)
          .collect(
              Collectors.toMap(
                  kind -> HasMetadata.getApiVersion(kind) + "/" + HasMetadata.getKind(kind),
                  Function.identity()));

  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .annotationIntrospector(new Closed())
          .withCoercionConfig(LogicalType.Textual, Manifests::onlyOfText)
          .build();

  /** As a server does, which refuses a name that YAML took for a number. */
  private static void onlyOfText(MutableCoercionConfig text) {
    Stream.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)
        .forEach(shape -> text.setCoercion(shape, CoercionAction.Fail));
  }

  /** Without what the models keep unknown fields by. */
  private static final class Closed extends JacksonAnnotationIntrospector {

    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      // Labels and the like are maps, which are read without one.
      return annotated.hasAnnotation(JsonAnySetter.class) ? Boolean.FALSE : null;
    }
  }

  /**
   * @throws AssertionError if a manifest is not what Kubernetes knows
   */
  static Manifests parse(String text) {
    List<HasMetadata> objects = new ArrayList<>();
    List<ScaledObject> scaledObjects = new ArrayList<>();
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    for (Object document : new Yaml(new SafeConstructor(options)).loadAll(text)) {
      if (document != null) {
        JsonNode manifest = STRICT.valueToTree(document);
        if (manifest.path("kind").asText().equals("ScaledObject")) {
          scaledObjects.add(read(manifest, ScaledObject.class));
        } else {
          objects.add(object(manifest));
        }
      }
    }
    return new Manifests(text, objects, scaledObjects);
  }

  private static HasMetadata object(JsonNode manifest) {
    String kind = manifest.path("apiVersion").asText() + "/" + manifest.path("kind").asText();
    assertThat(KINDS).containsKey(kind);
    return read(manifest, KINDS.get(kind));
  }

  private static <T> T read(JsonNode manifest, Class<T> type) {
    try {
      return STRICT.treeToValue(manifest, type);
    } catch (JsonProcessingException e) {
      throw new AssertionError(manifest.at("/metadata/name").asText() + ": " + e.getMessage(), e);
    }
  }

  <T> List<T> all(Class<T> kind) {
    return objects.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  <T extends HasMetadata> T only(Class<T> kind) {
    assertThat(all(kind)).hasSize(1);
    return all(kind).getFirst();
  }

  <T extends HasMetadata> T named(Class<T> kind, String name) {
    return all(kind).stream()
        .filter(object -> object.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Whatever starts pods, as the pods that it starts. */
  List<PodTemplateSpec> pods() {
    return Stream.of(
            all(Deployment.class).stream().map(it -> it.getSpec().getTemplate()),
            all(Job.class).stream().map(it -> it.getSpec().getTemplate()),
            all(Pod.class).stream().map(it -> new PodTemplateSpec(it.getMetadata(), it.getSpec())))
        .flatMap(Function.identity())
        .toList();
  }

  /** The pod that serves. */
  PodTemplateSpec pod() {
    return only(Deployment.class).getSpec().getTemplate();
  }

  /** The configuration that the pods read. */
  Map<String, Object> settings() {
    return new Yaml().load(only("application.yml").getData().get("application.yml"));
  }

  private ConfigMap only(String file) {
    return all(ConfigMap.class).stream()
        .filter(map -> map.getData().containsKey(file))
        .findFirst()
        .orElseThrow();
  }
}
