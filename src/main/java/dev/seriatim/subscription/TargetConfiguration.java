package dev.seriatim.subscription;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TargetSettings.class)
class TargetConfiguration {

  @Bean
  TargetGuard targetGuard(TargetSettings settings) {
    return new TargetGuard(settings);
  }
}
