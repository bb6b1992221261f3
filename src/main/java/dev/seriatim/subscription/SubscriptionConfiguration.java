package dev.seriatim.subscription;

import java.security.SecureRandom;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({SubscriptionDefaults.class, EndpointSettings.class})
class SubscriptionConfiguration {

  @Bean
  RandomNames randomNames() {
    return new RandomNames(new SecureRandom());
  }
}
