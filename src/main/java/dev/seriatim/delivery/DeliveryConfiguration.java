package dev.seriatim.delivery;

import dev.seriatim.partition.LeaseSettings;
import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.queue.EndpointLog;
import dev.seriatim.queue.PartitionLog;
import dev.seriatim.queue.Settler;
import dev.seriatim.queue.WakeUps;
import dev.seriatim.subscription.EndpointSettings;
import dev.seriatim.subscription.SubscriptionDefaults;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DrainSettings.class)
class DeliveryConfiguration {

  @Bean
  Drainers drainers(
      PartitionLog log,
      SubscriptionCache subscriptions,
      Attempts attempts,
      Settler settler,
      MonotonicClock clock,
      DrainSettings settings,
      EndpointLog endpoints,
      EndpointSettings endpointSettings,
      EndpointMeters endpointMeters,
      LeaseSettings leases,
      SubscriptionDefaults delivery,
      WakeUps wakeUps) {
    Duration longest = delivery.maxTimeout();
    leases.mustOutlive(longest, "seriatim.delivery.max-timeout");
    return new Drainers(
        new PartitionDrainer.Tools(
            log,
            subscriptions,
            attempts,
            settler,
            clock,
            settings,
            new EndpointGates.Shared(endpoints, endpointSettings, endpointMeters),
            longest),
        wakeUps);
  }

  @Bean(destroyMethod = "shutdownNow")
  ScheduledExecutorService drainerPolls(Drainers drainers, DrainSettings settings) {
    ScheduledExecutorService polls =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("drainer-poll").daemon().factory());
    long every = settings.pollEvery().toNanos();
    ScheduledFuture<?> unused =
        polls.scheduleWithFixedDelay(drainers::poll, every, every, TimeUnit.NANOSECONDS);
    return polls;
  }
}
