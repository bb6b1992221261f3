package dev.seriatim.partition;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({
  PartitionSettings.class,
  LeaseSettings.class,
  ShutdownSettings.class
})
class PartitionConfiguration {

  @Bean
  Partitioner partitioner(TopologyStore store, PartitionSettings settings) {
    return store.establish(settings);
  }

  @Bean
  WorkerName workerName(Environment environment, RandomGenerator random) {
    return WorkerName.of(environment.getProperty("HOSTNAME"), random);
  }

  @Bean
  OwnConnections ownConnections(JdbcConnectionDetails details) {
    return new OwnConnections(details.getJdbcUrl(), details.getUsername(), details.getPassword());
  }

  @Bean
  LeaseScheduler leaseScheduler(
      LeaseSettings settings,
      ShutdownSettings shutdown,
      LifecycleProperties lifecycle,
      Partitioner partitioner,
      WorkerName worker,
      Ownership ownership,
      OwnConnections connections,
      MonotonicClock clock,
      RandomGenerator random,
      MeterRegistry meters) {
    shutdown.mustFit(lifecycle.getTimeoutPerShutdownPhase());
    LeaseKeeper keeper =
        new LeaseKeeper(
            new LeaseStore(worker.value(), settings.ttl()),
            new WorkerStore(worker.value(), settings),
            settings,
            partitioner.count(),
            ownership,
            clock,
            Random.from(random),
            new LeaseMeters(meters));
    LeaseSessions sessions = new LeaseSessions(connections.as("leases"), settings, random);
    return new LeaseScheduler(keeper, sessions, settings, shutdown.drain(), clock);
  }
}
