package dev.seriatim.chart;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the chart says of a pod that serves, as far as it decides how its process is started, asked
 * and ended.
 *
 * @param command program and arguments
 * @param environment variables that are written out
 * @param secrets variables that come from Secrets, by the key there
 * @param ports that are listened on, by name
 * @param files by the folder of the mount and their names
 * @param preStop between the pod's removal from its Service and the signal to stop
 * @param grace between its removal and the signal to die
 */
public record ChartPod(
    List<String> command,
    String workingDirectory,
    Map<String, String> environment,
    Map<String, String> secrets,
    Map<String, Integer> ports,
    Map<String, Map<String, String>> files,
    Look startup,
    Look readiness,
    Look liveness,
    Duration preStop,
    Duration grace) {

  /**
   * A probe.
   *
   * @param port name of the port
   * @param patience until it has failed for good
   */
  public record Look(String path, String port, Duration patience) {

    private static Look of(Probe probe) {
      return new Look(
          probe.getHttpGet().getPath(),
          probe.getHttpGet().getPort().getStrVal(),
          Duration.ofSeconds((long) probe.getPeriodSeconds() * probe.getFailureThreshold()));
    }
  }

  /**
   * @param yaml values on top of the smallest ones that there can be
   */
  public static ChartPod with(String yaml) {
    return of(Chart.with("default", yaml));
  }

  /** The same with another program or other arguments. */
  public ChartPod withCommand(List<String> other) {
    return new ChartPod(
        other,
        workingDirectory,
        environment,
        secrets,
        ports,
        files,
        startup,
        readiness,
        liveness,
        preStop,
        grace);
  }

  private static ChartPod of(Manifests manifests) {
    PodSpec pod = manifests.pod().getSpec();
    Container container = pod.getContainers().getFirst();
    List<String> command = new ArrayList<>(container.getCommand());
    command.addAll(container.getArgs());
    Map<String, String> environment = new TreeMap<>();
    Map<String, String> secrets = new TreeMap<>();
    for (EnvVar variable : container.getEnv()) {
      if (variable.getValueFrom() == null) {
        environment.put(variable.getName(), variable.getValue());
      } else {
        secrets.put(variable.getName(), variable.getValueFrom().getSecretKeyRef().getKey());
      }
    }
    Map<String, Integer> ports = new TreeMap<>();
    for (ContainerPort port : container.getPorts()) {
      ports.put(port.getName(), port.getContainerPort());
    }
    return new ChartPod(
        command,
        container.getWorkingDir(),
        environment,
        secrets,
        ports,
        files(manifests, pod, container),
        Look.of(container.getStartupProbe()),
        Look.of(container.getReadinessProbe()),
        Look.of(container.getLivenessProbe()),
        Duration.ofSeconds(container.getLifecycle().getPreStop().getSleep().getSeconds()),
        Duration.ofSeconds(pod.getTerminationGracePeriodSeconds()));
  }

  private static Map<String, Map<String, String>> files(
      Manifests manifests, PodSpec pod, Container container) {
    Map<String, Map<String, String>> files = new TreeMap<>();
    for (VolumeMount mount : container.getVolumeMounts()) {
      for (Volume volume : pod.getVolumes()) {
        if (volume.getName().equals(mount.getName()) && volume.getConfigMap() != null) {
          ConfigMap map = manifests.named(ConfigMap.class, volume.getConfigMap().getName());
          files.put(mount.getMountPath(), map.getData());
        }
      }
    }
    return files;
  }
}
