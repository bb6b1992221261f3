package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.SecretKeySelector;

/** Looks into pods, which have one container each. */
final class Containers {

  private Containers() {}

  static Container container(PodTemplateSpec pod) {
    assertThat(pod.getSpec().getContainers()).hasSize(1);
    return pod.getSpec().getContainers().getFirst();
  }

  static EnvVar variable(Container container, String name) {
    return container.getEnv().stream()
        .filter(variable -> variable.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Name and key of the Secret that a variable is read from. */
  static String secret(Container container, String variable) {
    SecretKeySelector key = variable(container, variable).getValueFrom().getSecretKeyRef();
    return key.getName() + "/" + key.getKey();
  }
}
