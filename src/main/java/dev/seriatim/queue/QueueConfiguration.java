package dev.seriatim.queue;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({PublishSettings.class, SettleSettings.class})
class QueueConfiguration {

  /** Static: it must be there before the pool is. */
  @Bean
  static PoolCheck poolCheck() {
    return new PoolCheck();
  }
}
