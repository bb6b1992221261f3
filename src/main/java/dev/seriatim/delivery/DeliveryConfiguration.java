package dev.seriatim.delivery;

import dev.seriatim.partition.LeaseSettings;
import dev.seriatim.partition.MonotonicClock;
import dev.seriatim.queue.ActivityLog;
import dev.seriatim.queue.Aside;
import dev.seriatim.queue.EndpointLog;
import dev.seriatim.queue.MetricsSettings;
import dev.seriatim.queue.PartitionLog;
import dev.seriatim.queue.Settler;
import dev.seriatim.queue.WakeUps;
import dev.seriatim.subscription.EndpointSettings;
import dev.seriatim.subscription.SubscriptionDefaults;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
      HoldWatch holds,
      Aside aside,
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
            holds,
            aside,
            attempts,
            settler,
            clock,
            settings,
            new EndpointGates.Shared(endpoints, endpointSettings, endpointMeters),
            longest),
        wakeUps);
  }

  @Bean(destroyMethod = "shutdownNow")
  ScheduledExecutorService drainerPolls(
      Drainers drainers,
      DrainSettings settings,
      WakeUps wakeUps,
      ActivityLog activities,
      MetricsSettings metrics) {
    ScheduledExecutorService polls =
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform().name("drainer-poll").daemon().factory(),
            // What is asked for after the end needs no answer.
            new ThreadPoolExecutor.DiscardPolicy());
    long every = settings.pollEvery().toNanos();
    ScheduledFuture<?> unused =
        polls.scheduleWithFixedDelay(drainers::poll, every, every, TimeUnit.NANOSECONDS);
    long report = metrics.sampleEvery().toNanos();
    ScheduledFuture<?> unusedReports =
        polls.scheduleWithFixedDelay(
            new ActivityReporter(drainers, activities)::report,
            report,
            report,
            TimeUnit.NANOSECONDS);
    AtomicBoolean asked = new AtomicBoolean();
    wakeUps.onChanged(
        () -> {
          // Changes in quick succession are looked at together.
          if (asked.compareAndSet(false, true)) {
            polls.execute(
                () -> {
                  asked.set(false);
                  drainers.poll();
                });
          }
        });
    return polls;
  }
}
