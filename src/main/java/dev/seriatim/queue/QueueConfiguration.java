package dev.seriatim.queue;

import dev.seriatim.partition.Partitioner;
import java.time.Duration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({PublishSettings.class, SettleSettings.class})
class QueueConfiguration {

  private static final Duration SILENCE = Duration.ofSeconds(10);

  @Bean
  WakeUpSender wakeUpSender(JdbcClient jdbc) {
    return new WakeUpSender(new WakeUpChannel(jdbc)::tell);
  }

  @Bean
  WakeUpListener wakeUpListener(
      JdbcConnectionDetails details,
      WakeUps wakeUps,
      WakeUpSender sender,
      Partitioner partitioner) {
    return new WakeUpListener(
        WakeUpConnections.to(details), wakeUps, sender, partitioner.count(), SILENCE);
  }
}
