package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.networking.v1.IPBlock;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.IngressServiceBackend;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who is reached by what name, and who may call whom. */
class ChartNetworkTests {

  private static final Path SPECIAL =
      Path.of("src/main/java/dev/seriatim/subscription/SpecialAddresses.java");
  private static final Pattern BLOCK = Pattern.compile("\"([0-9a-f:.]+)(/\\d+)?\"");

  @Test
  void everySelectorFindsThePodsThatServeAndNoOthers() {
    Manifests manifests = Chart.with("migration-job");
    List<Map<String, String>> selectors = new ArrayList<>();
    manifests.all(Service.class).forEach(it -> selectors.add(it.getSpec().getSelector()));
    Deployment deployment = manifests.only(Deployment.class);
    NetworkPolicy policy = manifests.named(NetworkPolicy.class, "seriatim");
    Stream.of(
            Stream.of(deployment.getSpec().getSelector()),
            Stream.of(manifests.only(PodDisruptionBudget.class).getSpec().getSelector()),
            Stream.of(policy.getSpec().getPodSelector()),
            manifests.pod().getSpec().getTopologySpreadConstraints().stream()
                .map(it -> it.getLabelSelector()))
        .flatMap(it -> it)
        .map(LabelSelector::getMatchLabels)
        .forEach(selectors::add);

    assertThat(selectors).hasSize(7);
    for (Map<String, String> selector : selectors) {
      assertThat(manifests.pod().getMetadata().getLabels()).containsAllEntriesOf(selector);
      assertThat(
              List.of(
                  manifests.only(Job.class).getSpec().getTemplate().getMetadata().getLabels(),
                  manifests.only(Pod.class).getMetadata().getLabels()))
          .noneMatch(labels -> labels.entrySet().containsAll(selector.entrySet()));
    }
    assertThat(manifests.only(Job.class).getSpec().getTemplate().getMetadata().getLabels())
        .containsAllEntriesOf(
            manifests
                .named(NetworkPolicy.class, "seriatim-migration")
                .getSpec()
                .getPodSelector()
                .getMatchLabels());
  }

  @Test
  void servicesLeadToPortsOfTheContainer() {
    Manifests manifests = Chart.with("httproute");

    ServicePort api = port(manifests, "seriatim");
    ServicePort management = port(manifests, "seriatim-management");
    assertThat(api.getPort()).isEqualTo(80);
    assertThat(List.of(api.getTargetPort(), management.getTargetPort()))
        .extracting(IntOrString::getStrVal)
        .containsExactly("http", "management");
    Service headless = manifests.named(Service.class, "seriatim-management");
    assertThat(headless.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(headless.getSpec().getPublishNotReadyAddresses()).isTrue();
  }

  private static ServicePort port(Manifests manifests, String service) {
    List<ServicePort> ports = manifests.named(Service.class, service).getSpec().getPorts();
    assertThat(ports).hasSize(1);
    return ports.getFirst();
  }

  @Test
  void routesFromOutsideLeadToTheApiAlone() {
    Manifests byIngress = Chart.with("ingress");
    Stream<IngressServiceBackend> backends =
        byIngress.only(Ingress.class).getSpec().getRules().stream()
            .flatMap(rule -> rule.getHttp().getPaths().stream())
            .map(path -> path.getBackend().getService());
    assertThat(backends)
        .hasSize(2)
        .allSatisfy(
            backend -> {
              assertThat(backend.getName()).isEqualTo("seriatim");
              assertThat(backend.getPort().getName())
                  .isEqualTo(port(byIngress, "seriatim").getName());
            });

    Manifests byRoute = Chart.with("httproute");
    HTTPRoute route = byRoute.only(HTTPRoute.class);
    assertThat(route.getSpec().getRules())
        .flatExtracting(rule -> rule.getBackendRefs())
        .hasSize(1)
        .allSatisfy(
            backend -> {
              assertThat(backend.getName()).isEqualTo("seriatim");
              assertThat(backend.getPort()).isEqualTo(port(byRoute, "seriatim").getPort());
            });
    assertThat(route.getSpec().getParentRefs())
        .extracting(parent -> parent.getNamespace() + "/" + parent.getName())
        .containsExactly("gateways/public");
  }

  @Test
  void podsReachTheInternetWithoutWhatTheApplicationRefuses() throws IOException {
    List<String> refused =
        BLOCK
            .matcher(Files.readString(SPECIAL))
            .results()
            .map(ChartNetworkTests::block)
            .sorted()
            .toList();
    NetworkPolicy policy = Chart.with("default").only(NetworkPolicy.class);
    List<IPBlock> internet =
        policy.getSpec().getEgress().stream()
            .flatMap(rule -> rule.getTo().stream())
            .map(NetworkPolicyPeer::getIpBlock)
            .filter(block -> block != null)
            .toList();

    assertThat(internet).extracting(IPBlock::getCidr).containsExactly("0.0.0.0/0", "::/0");
    assertThat(internet.stream().flatMap(block -> block.getExcept().stream()).sorted())
        .hasSizeGreaterThan(20)
        .contains("10.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "192.168.0.0/16")
        .containsExactlyElementsOf(refused);
  }

  private static String block(MatchResult found) {
    return found.group(1) + (found.group(2) == null ? "/32" : found.group(2));
  }

  @Test
  void podsReachNamesAndPostgresAndNothingElseInside() {
    NetworkPolicy policy = Chart.with("default").only(NetworkPolicy.class);
    List<NetworkPolicyEgressRule> rules = policy.getSpec().getEgress();

    assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
    assertThat(rules).hasSize(3);
    assertThat(rules.get(0).getPorts()).extracting(ChartNetworkTests::port).containsOnly("53");
    assertThat(rules.get(0).getTo()).isNotEmpty();
    assertThat(rules.get(1).getPorts()).extracting(ChartNetworkTests::port).containsOnly("5432");
    assertThat(rules.get(2).getTo()).isNotEmpty();
  }

  @Test
  void whatValuesAddIsAllowedAndNoMore() {
    Manifests manifests = Chart.with("network-policy");
    NetworkPolicy policy = manifests.only(NetworkPolicy.class);
    List<NetworkPolicyEgressRule> out = policy.getSpec().getEgress();
    List<NetworkPolicyIngressRule> in = policy.getSpec().getIngress();

    assertThat(out).hasSize(5);
    assertThat(out.get(1).getTo().getFirst().getPodSelector().getMatchLabels())
        .containsEntry("app", "pgbouncer");
    assertThat(out.get(2).getPorts()).extracting(ChartNetworkTests::port).containsExactly("443");
    assertThat(out.get(3).getTo())
        .extracting(peer -> peer.getIpBlock().getCidr())
        .containsExactly("10.20.0.0/16", "10.30.0.7/32", "fd00:20::/64");
    assertThat(in).hasSize(3);
    assertThat(in.subList(0, 2))
        .allSatisfy(
            rule -> {
              assertThat(rule.getPorts()).hasSize(1);
              assertThat(rule.getFrom()).hasSize(2);
              assertThat(manifests.only(Pod.class).getMetadata().getLabels())
                  .containsAllEntriesOf(rule.getFrom().getLast().getPodSelector().getMatchLabels());
            })
        .extracting(rule -> port(rule.getPorts().getFirst()))
        .containsExactly("http", "management");
  }

  @Test
  void migrationReachesNamesAndPostgresAlone() {
    NetworkPolicy policy =
        Chart.with("migration-job").named(NetworkPolicy.class, "seriatim-migration");

    assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
    assertThat(policy.getSpec().getIngress()).isEmpty();
    assertThat(policy.getSpec().getEgress()).hasSize(2);
  }

  private static String port(NetworkPolicyPort port) {
    IntOrString value = port.getPort();
    return value.getStrVal() == null ? value.getIntVal().toString() : value.getStrVal();
  }
}
