package dev.seriatim.operations;

import dev.seriatim.queue.WakeUps;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.transaction.support.TransactionOperations;

@Configuration(proxyBeanMethods = false)
@EnableScheduling
@EnableConfigurationProperties(HealthSettings.class)
class OperationsConfiguration {

  @Bean
  Repairs repairs(TransactionOperations transaction, WakeUps owners) {
    return new Repairs(transaction, owners::changed);
  }
}
