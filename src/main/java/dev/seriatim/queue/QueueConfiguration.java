package dev.seriatim.queue;

import dev.seriatim.partition.FreePartitions;
import dev.seriatim.partition.OwnConnections;
import dev.seriatim.partition.Partitioner;
import java.time.Duration;
import java.util.Set;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({PublishSettings.class, SettleSettings.class, MetricsSettings.class})
class QueueConfiguration {

  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** Static: it must be there before the pool is. */
  @Bean
  static PoolCheck poolCheck() {
    return new PoolCheck();
  }

  @Bean
  WakeUpSender wakeUpSender(JdbcClient jdbc) {
    return new WakeUpSender(new WakeUpChannel(jdbc)::tell);
  }

  @Bean
  WakeUpListener wakeUpListener(
      OwnConnections connections,
      FreePartitions freePartitions,
      WakeUps wakeUps,
      WakeUpSender sender,
      Partitioner partitioner) {
    freePartitions.onFreed(() -> sender.send(Set.of(WakeUpPayload.FREE)));
    return new WakeUpListener(
        connections.as("wake-ups"), wakeUps, sender, freePartitions, partitioner.count(), SILENCE);
  }
}
