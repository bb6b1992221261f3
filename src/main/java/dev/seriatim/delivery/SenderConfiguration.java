package dev.seriatim.delivery;

import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.subscription.TargetGuard;
import java.net.InetAddress;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import javax.net.ssl.SSLContext;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(SenderSettings.class)
class SenderConfiguration {

  @Bean
  WebhookSender webhookSender(
      SenderSettings settings, TargetGuard guard, Clock clock, MonotonicClock monotonicClock)
      throws NoSuchAlgorithmException {
    return new WebhookSender(
        settings, guard, InetAddress::getAllByName, SSLContext.getDefault(), clock, monotonicClock);
  }
}
