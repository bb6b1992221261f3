package dev.seriatim.partition;

import java.sql.DriverManager;
import java.util.Properties;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({PartitionSettings.class, LeaseSettings.class})
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
  LeaseConnections leaseConnections(JdbcConnectionDetails details) {
    return () -> {
      Properties properties = new Properties();
      if (details.getUsername() != null) {
        properties.setProperty("user", details.getUsername());
      }
      if (details.getPassword() != null) {
        properties.setProperty("password", details.getPassword());
      }
      // A dead peer is noticed within seconds, not when TCP gives up.
      properties.setProperty("connectTimeout", "3");
      properties.setProperty("socketTimeout", "5");
      properties.setProperty("tcpKeepAlive", "true");
      properties.setProperty("ApplicationName", "seriatim-leases");
      return DriverManager.getConnection(details.getJdbcUrl(), properties);
    };
  }

  @Bean
  LeaseScheduler leaseScheduler(
      LeaseSettings settings,
      Partitioner partitioner,
      WorkerName worker,
      Ownership ownership,
      LeaseConnections connections,
      MonotonicClock clock,
      RandomGenerator random) {
    LeaseKeeper keeper =
        new LeaseKeeper(
            new LeaseStore(worker.value(), settings.ttl()),
            settings,
            partitioner.count(),
            worker.value(),
            ownership,
            clock,
            Random.from(random));
    return new LeaseScheduler(keeper, connections, settings, clock);
  }
}
