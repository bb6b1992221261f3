package dev.seriatim.chart;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is not rendered, and what is said instead. */
class ChartRefusalTests {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          replicaCuont: 5                                   | additional properties 'replicaCuont' not allowed
          database: {usernamekey: x}                        | at '/database': additional properties 'usernamekey'
          api: {operators: [{name: a, secret: b, key: c}]}  | at '/api/operators/0'
          shutdown: {drain: 20s}                            | at '/shutdown': additional properties 'drain'
          networkPolicy: {dns: {port: 53}}                  | at '/networkPolicy/dns': additional properties 'port'
          networkPolicy: {api: {from: [{podSelecter: {}}]}} | additional properties 'podSelecter'
          autoscaling: {keda: {server: x}}                  | at '/autoscaling/keda': additional properties 'server'
          serviceMonitor: {authorization: {secret: x}}      | at '/serviceMonitor/authorization'
          resources: {limit: {memory: 1Gi}}                 | at '/resources': additional properties 'limit'
          probes: {startup: {failureThreshold: 3}}          | at '/probes/startup'
          image: {pullPolicy: always}                       | at '/image/pullPolicy'
          image: {digest: abc}                              | at '/image/digest'
          replicaCount: three                               | at '/replicaCount': got string, want integer
          replicaCount: 0                                   | at '/replicaCount': minimum: got 0, want 1
          partitions: {count: 5000}                         | at '/partitions/count'
          migrations: {mode: jobs}                          | at '/migrations/mode'
          autoscaling: {by: BOTH}                           | at '/autoscaling/by'
          runAsUser: 0                                      | at '/runAsUser'
          targets: {allow: [example.com]}                   | at '/targets/allow/0'
          database: {url: 'postgres://u:p@db/x'}            | at '/database/url'
          extraEnv: [{name: X, valuesFrom: {}}]             | at '/extraEnv/0'
          """)
  void typoIsNoDefault(String values, String message) {
    refused("default", values, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          default       | terminationGracePeriodSeconds: 34           | terminationGracePeriodSeconds (34) must be at least shutdown.preStopSeconds (5) plus shutdown.drainSeconds (20) plus 10 for answering and closing, which is 35
          default       | shutdown: {drainSeconds: 26}                | terminationGracePeriodSeconds (40)
          default       | shutdown: {preStopSeconds: 11}              | terminationGracePeriodSeconds (40)
          default       | database: {existingSecret: ''}              | database.existingSecret is required
          default       | database: {url: ''}                         | database.url is required
          default       | database: {urlKey: url}                     | database.url and database.urlKey are both set
          default       | database: {url: 'jdbc:postgresql://db/x?user=u&password=p'} | database.url has a user or a password in it
          default       | database: {url: 'jdbc:postgresql://u:p@db/x'} | database.url has a user or a password in it
          default       | database: {url: 'jdbc:postgresql://db/x?sslpassword=p'} | database.url has a user or a password in it
          default       | fullnameOverride: 9lives                    | the name 9lives is none for a Service
          default       | fullnameOverride: my.hooks                  | the name my.hooks is none for a Service
          default       | api: {existingSecret: ''}                   | api.existingSecret is required
          migration-job | migrations: {existingSecret: ''}            | migrations.mode is job, so migrations.existingSecret is required
          default       | replicaCount: 65                            | replicaCount (65) is above partitions.count (64)
          hpa           | autoscaling: {maxReplicas: 65}              | autoscaling.maxReplicas (65) is above partitions.count (64)
          keda          | partitions: {count: 4}                      | autoscaling.maxReplicas (8) is above partitions.count (4)
          hpa           | autoscaling: {minReplicas: 17}              | autoscaling.minReplicas (17) is above autoscaling.maxReplicas (16)
          keda          | autoscaling: {keda: {prometheusAddress: ''}} | autoscaling.keda.prometheusAddress is required
          ingress       | ingress: {hosts: []}                        | ingress.hosts is required
          httproute     | httpRoute: {parentRefs: []}                 | httpRoute.parentRefs is required
          monitoring    | prometheusRule: {runbookBaseUrl: ''}        | prometheusRule.runbookBaseUrl is required
          default       | podLabels: {app.kubernetes.io/name: x}      | podLabels has app.kubernetes.io/name
          operators     | api: {operators: [{name: loopback, existingSecret: s, key: k}]} | api.operators has the name loopback
          operators     | api: {operators: [{name: a, existingSecret: s, key: k}, {name: a, existingSecret: s, key: l}]} | api.operators has the name a twice
          """)
  void contradictionIsOneSentence(String feature, String values, String message) {
    refused(feature, values, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          config: {server: {port: 8081}}                               | server.port, which is set by the chart
          config: {server: {address: 127.0.0.1}}                       | server.address, which is set by the chart
          config: {management: {server: {ssl: {bundle: x}}}}           | management.server.ssl.bundle, which is set by the chart
          config: {management.endpoints.web.base-path: /m}             | management.endpoints.web.basepath, which is set by the chart
          config: {seriatim: {partitions: {count: 8}}}                 | seriatim.partitions.count, which is set by partitions.count
          config: {seriatim.partitions.count: 8}                       | seriatim.partitions.count
          config: {seriatim: {shutdown: {grace-period: 9s}}}           | which is set by shutdown and terminationGracePeriodSeconds
          config: {seriatim: {security: {token: '${TOKEN}'}}}          | which is set by api.existingSecret
          config: {seriatim: {targets: {allow: 10.0.0.0/8}}}           | which is set by targets.allow
          config: {spring: {datasource: {url: 'jdbc:postgresql://x'}}} | which is set by database.url
          config: {spring: {flyway: {password: hidden}}}               | looks like a secret
          config: {some: {list: [{api-key: hidden}]}}                  | looks like a secret
          config: {spring: {datasource: {hikari: {data-source-properties: {sslPassword: hidden}}}}} | looks like a secret
          config: {management: {otlp: {metrics: {export: {headers: {Authorization: Basic x}}}}}} | looks like a secret
          extraEnv: [{name: SERIATIM_SECURITY_TOKEN, value: hidden}]   | extraEnv has SERIATIM_SECURITY_TOKEN
          extraEnv: [{name: SPRING_DATASOURCE_PASSWORD, value: hidden}] | extraEnv has SPRING_DATASOURCE_PASSWORD
          extraEnv: [{name: seriatim.partitions.count, value: '8'}]    | extraEnv has seriatim.partitions.count
          extraEnv: [{name: spring_datasource_url, value: x}]          | extraEnv has spring_datasource_url
          extraEnv: [{name: SPRING_APPLICATION_JSON, value: '{}'}]     | extraEnv has SPRING_APPLICATION_JSON
          """)
  void neitherASecretNorTwoValuesForOneSetting(String values, String message) {
    refused("default", values, message);
  }

  private static void refused(String feature, String values, String message) {
    assertThatThrownBy(() -> Chart.render(Chart.RELEASE, List.of(Chart.values(feature)), values))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
  }
}
